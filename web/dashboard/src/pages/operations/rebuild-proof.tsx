// The proof of a rebuild: both digests, the verdict, and the figures behind it.
import { CheckCircledIcon, ExclamationTriangleIcon, InfoCircledIcon } from '@radix-ui/react-icons';
import type { ReactNode } from 'react';
import { CopyText } from '../../parts/copy.tsx';
import { durationText } from '../../parts/duration.ts';
import { When } from '../../parts/when.tsx';
import classes from './operations.module.css';
import type { ProofAnswer, RebuildAnswer } from './projection-queries.ts';

const number = new Intl.NumberFormat();

interface Verdict {
  readonly tone: 'good' | 'bad' | 'quiet';
  readonly title: string;
  readonly words: string;
}

export function RebuildProof({
  rebuild,
  proof,
}: {
  readonly rebuild: RebuildAnswer;
  readonly proof: ProofAnswer;
}): ReactNode {
  const { tone, title, words } = verdictOf(proof);
  const Icon = tone === 'good' ? CheckCircledIcon : tone === 'bad' ? ExclamationTriangleIcon : InfoCircledIcon;
  return (
    <section className={classes['proof']} data-tone={tone} aria-label="The proof of the rebuild">
      <header>
        <Icon aria-hidden />
        <div>
          <h3>{title}</h3>
          <p>{words}</p>
        </div>
      </header>
      <dl className={classes['digests']}>
        {proof.generationBefore !== undefined && (
          <DigestLine
            name="Live before"
            generation={proof.generationBefore}
            documents={proof.documentsBefore}
            digest={proof.digestBefore}
          />
        )}
        <DigestLine
          name="From the log"
          generation={proof.generation}
          documents={proof.documents}
          digest={proof.digestAfter}
        />
      </dl>
      <ul className={classes['proofFigures']}>
        <Figure name="Events read" value={number.format(proof.events)} />
        <Figure name="Differences" value={number.format(proof.different)} />
        <Figure name="Took" value={durationText(proof.tookMs)} />
        <Figure name="Now live" value={proof.swapped ? `generation ${proof.generation}` : 'as before'} />
      </ul>
      <footer>
        {rebuild.projection}, version {proof.version}, <When ms={Date.parse(rebuild.startedAt)} as="second" />,{' '}
        {rebuild.node}
      </footer>
    </section>
  );
}

interface DigestLineProps {
  readonly name: string;
  readonly generation: number;
  readonly documents: number;
  readonly digest: string;
}

const DigestLine = ({ name, generation, documents, digest }: DigestLineProps): ReactNode => (
  <div>
    <dt>
      {name}
      <span>
        generation {generation}, {number.format(documents)} documents
      </span>
    </dt>
    <dd>
      <CopyText text={digest} label={`digest, ${name}`}>
        {digest}
      </CopyText>
    </dd>
  </div>
);

const Figure = ({ name, value }: { readonly name: string; readonly value: string }): ReactNode => (
  <li>
    <span>{name}</span>
    <strong>{value}</strong>
  </li>
);

function verdictOf(proof: ProofAnswer): Verdict {
  const { equal, versionChanged, holesChanged, generationBefore, documents, different, swapped, broken, parked } =
    proof;
  const waiting = parked === 0 ? '' : ` ${number.format(parked)} streams are parked.`;
  const then = swapped ? 'The generation from the log is live now.' : 'The live generation is unchanged.';
  if (broken > 0)
    return {
      tone: 'bad',
      title: 'Broken streams in the log',
      words: `${number.format(broken)} streams end at a broken event.${waiting}`,
    };
  if (equal) {
    const words = `Both generations have the same ${number.format(documents)} documents, compared one by one.${waiting}`;
    return { tone: 'good', title: swapped ? 'Equal, and swapped' : 'Equal', words };
  }
  if (generationBefore === undefined)
    return {
      tone: 'quiet',
      title: 'Built for the first time',
      words: `There was no generation to compare with.${waiting}`,
    };
  if (versionChanged)
    return {
      tone: 'quiet',
      title: 'A new version',
      words: `It cannot be compared with the previous version. ${then}${waiting}`,
    };
  if (holesChanged)
    return {
      tone: 'quiet',
      title: 'Different streams left out',
      words: `It leaves out other streams than the live generation did. ${then}${waiting}`,
    };
  return {
    tone: 'bad',
    title: 'Different',
    words: `${number.format(different)} documents differ from the live ones. ${then}${waiting}`,
  };
}
