// What the log has on the agreement that a disputed payment charged, as a part of the statement to the issuer: each
// fact with the id of its event.
import { moneyText } from '../../parts/money.tsx';
import { utcText } from '../../parts/when.tsx';
import { CHANNEL_WORDS, NOTICE_CHANNEL_WORDS, NOTICE_WORDS, termsText } from '../agreements/agreement-words.ts';
import type { AgreementEvidence } from './ask-dispute.ts';

const timeText = (time: string): string => utcText(Date.parse(time));
const dayOf = (time: string): string => time.slice(0, 10);

/** Blocks of lines: the agreement with its consent, its first payment, and the earlier charges. */
export const agreementBlocks = (evidence: AgreementEvidence): readonly (readonly string[])[] => [
  agreementLines(evidence),
  firstLines(evidence),
  earlierLines(evidence),
];

function agreementLines({ agreementId, periodKey, terms, consent, notices }: AgreementEvidence): readonly string[] {
  const { acceptedAt, channel, textDigest, textUrl, shownText, ipAddress, userAgent, eventId } = consent;
  return [
    `This payment charges the period ${periodKey} of the agreement ${agreementId}: ${terms.description}. ${termsText({ terms })}, from ${dayOf(terms.startsAt)}.`,
    `The customer agreed on ${timeText(acceptedAt)} (${CHANNEL_WORDS[channel].toLowerCase()}${ipAddress === undefined ? '' : `, from the address ${ipAddress}`}); event ${eventId}.`,
    ...(userAgent === undefined ? [] : [`Browser: ${userAgent}`]),
    ...(shownText === undefined ? [] : [`The checkout showed: ${shownText}`]),
    `Text of the consent${textUrl === undefined ? '' : ` at ${textUrl}`}, SHA-256 ${textDigest}.`,
    ...notices.map(
      ({ kind, channel, sentAt, dueOn, eventId: recorded }) =>
        `${NOTICE_WORDS[kind]}${dueOn === undefined ? '' : ` of the charge on ${dueOn}`}: sent ${timeText(sentAt)}, ${NOTICE_CHANNEL_WORDS[channel].toLowerCase()}; event ${recorded}.`,
    ),
  ];
}

function firstLines({ first }: AgreementEvidence): readonly string[] {
  if (first === undefined) return [];
  const { paymentId, date, eventId, threeDSecureAuthentication, authenticationEventId } = first;
  const made = `The customer made the first payment, ${paymentId}, on ${timeText(date)}; event ${eventId}.`;
  if (threeDSecureAuthentication === undefined) return [made];
  const { responseCode, protocolVersion, challengeIssued, eci } = threeDSecureAuthentication;
  const details = [
    ...(protocolVersion === undefined ? [] : [`version ${protocolVersion}`]),
    ...(eci === undefined ? [] : [`ECI ${eci}`]),
    ...(challengeIssued === undefined ? [] : [challengeIssued ? 'with a challenge' : 'without a challenge']),
  ];
  const said = responseCode === 'AUTH_SUCCESS' ? 'authenticated the customer' : 'did not authenticate the customer';
  const shown = details.length === 0 ? '' : ` (${details.join(', ')})`;
  const event = authenticationEventId === undefined ? '' : `; event ${authenticationEventId}`;
  return [made, `3-D Secure ${said} then${shown}${event}.`];
}

const earlierLines = ({ earlier }: AgreementEvidence): readonly string[] =>
  earlier.length === 0
    ? []
    : [
        'Earlier charges by this agreement that nobody disputed:',
        ...earlier.map(
          ({ periodKey, paymentId, chargedAt, eventId, ...money }) =>
            `- ${periodKey}: ${moneyText(money)} on ${dayOf(chargedAt)}, payment ${paymentId}, event ${eventId}`,
        ),
      ];
