// The overview: figures of the account's payments, in one currency and for the period in the URL.
import { SegmentedControl, Select, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useMay } from '../../app/session.tsx';
import { durationText } from '../../parts/duration.ts';
import { PageFrame } from '../../parts/page-frame.tsx';
import { PathLink } from '../../parts/path-link.tsx';
import { Failed } from '../../parts/states.tsx';
import { LatencyChart, RateChart, VolumeChart } from './charts.tsx';
import { CurrencyTable } from './currency-table.tsx';
import { DayRange } from './day-range.tsx';
import { DeclinesList } from './declines-list.tsx';
import { amountText, type Change, changeOf, msText, type Overview, overviewQuery, percentText } from './figures.ts';
import { FirstPayment } from './first-payment.tsx';
import { LagChart, type LagHours } from './lag-chart.tsx';
import { NeedsYou } from './needs-you.tsx';
import { NowStrip } from './now-strip.tsx';
import classes from './overview.module.css';
import {
  AUTHORIZED,
  daysOf,
  type OverviewSearch,
  PAID,
  PERIODS,
  paymentsPath,
  readSearch,
  versusText,
} from './period.ts';
import { RevenueAtRisk } from './revenue-at-risk.tsx';

export function OverviewPage(): ReactNode {
  const search = readSearch(useSearch({ strict: false }));
  const { data, error, refetch, isPlaceholderData } = useQuery(overviewQuery(search));
  const isNew = data?.isEmpty === true;
  return (
    <PageFrame title="Overview" {...(!isNew && { actions: <Choices search={search} overview={data} /> })}>
      <NeedsYou />
      {error !== null && data === undefined ? (
        <Failed fault={error} onRetry={() => void refetch()} />
      ) : isNew ? (
        <FirstPayment />
      ) : (
        <div data-old={isPlaceholderData || undefined} className={classes['page']}>
          <NowStrip overview={data} />
          <KeyFigures overview={data} />
          <CurrencyTable overview={data} />
          <RevenueAtRisk />
          <div className={classes['grid']}>
            <div className={classes['wide']}>
              <VolumeChart overview={data} />
            </div>
            <DeclinesList overview={data} />
            <RateChart overview={data} />
            <div className={classes['wide']}>
              <LatencyChart overview={data} />
            </div>
            <div className={classes['whole']}>
              <LagChart aside={(hours) => <LagAside hours={hours} />} />
            </div>
          </div>
        </div>
      )}
    </PageFrame>
  );
}

function LagAside({ hours }: { readonly hours: LagHours }): ReactNode {
  const period = <span className={classes['aside']}>last {durationText(hours * HOUR_MS)}</span>;
  if (!useMay('owner', 'developer')) return period;
  return (
    <>
      {period}
      <PathLink path="/operations" className={classes['more']}>
        Read models
      </PathLink>
    </>
  );
}

const HOUR_MS = 3_600_000;

interface ChoicesProps {
  readonly search: OverviewSearch;
  readonly overview: Overview | undefined;
}

function Choices({ search, overview }: ChoicesProps): ReactNode {
  const navigate = useNavigate();
  const go = (next: OverviewSearch): void => void navigate({ to: '/', search: next });
  const { currency } = search;
  const kept = currency === undefined ? {} : { currency };
  const codes = [...new Set([...(overview?.currencyCodes ?? []), ...(currency === undefined ? [] : [currency])])];
  return (
    <div className={classes['choices']}>
      {codes.length > 1 && (
        <Select
          aria-label="Currency"
          size="xs"
          w={84}
          data={codes}
          value={overview?.currencyCode ?? currency ?? null}
          onChange={(code) => code !== null && go({ ...search, currency: code })}
        />
      )}
      <SegmentedControl
        aria-label="Period"
        size="xs"
        data={PERIODS.map(({ days, label }) => ({ value: String(days), label }))}
        value={String(daysOf(search, overview) ?? '')}
        onChange={(days) => go({ days: Number(days), ...kept })}
      />
      <DayRange overview={overview} onChange={(chosen) => go({ ...chosen, ...kept })} />
    </div>
  );
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

function KeyFigures({ overview }: { readonly overview: Overview | undefined }): ReactNode {
  const { sums, before, currencyCode = null } = overview ?? {};
  const pathOf = (statuses: readonly string[]): string => paymentsPath(overview, { status: statuses });
  const versus = overview === undefined ? '' : versusText(overview);
  const answered = (sums?.authorized.count ?? 0) + (sums?.declined.count ?? 0);
  const within = `95% within ${msText(sums?.p95 ?? null)}`;
  return (
    <div className={classes['figures']}>
      <KeyFigure
        label="Volume"
        value={sums && amountText(sums.volume, currencyCode)}
        change={changeOf(sums ? Number(sums.volume) : null, before ? Number(before.volume) : null, 'more')}
        note={before?.volume === 0 ? counted(sums?.captured.count ?? 0, 'capture') : versus}
        path={pathOf(PAID)}
      />
      <KeyFigure
        label="Authorization rate"
        value={sums && percentText(sums.authorizationRate)}
        change={changeOf(sums?.authorizationRate ?? null, before?.authorizationRate ?? null, 'more', 'points')}
        note={before?.authorizationRate === null ? `of ${answered} completed` : versus}
        path={pathOf(AUTHORIZED)}
      />
      <KeyFigure
        label="Declined"
        value={sums && String(sums.declined.count)}
        change={changeOf(sums?.declined.count ?? null, before?.declined.count ?? null, 'less')}
        note={before?.declined.count === 0 ? `of ${counted(answered, 'authorization')}` : versus}
        path={pathOf(['DECLINED'])}
      />
      <KeyFigure
        label="Median time to authorize"
        value={sums && msText(sums.p50)}
        change={changeOf(sums?.p50 ?? null, before?.p50 ?? null, 'less')}
        note={before?.p50 === null ? within : versus}
        {...(before?.p50 !== null && { more: within })}
        path={pathOf([])}
      />
    </div>
  );
}

interface KeyFigureProps {
  readonly label: string;
  /** Undefined while it is loaded. */
  readonly value: string | undefined;
  readonly change: Change | undefined;
  /** Below the number where there is no change to tell. */
  readonly note: string;
  /** On a line of its own. */
  readonly more?: string;
  /** Without /dashboard. */
  readonly path: string;
}

/** One large number, its change, and a link to its list. */
const KeyFigure = ({ label, value, change, note, more, path }: KeyFigureProps): ReactNode => (
  <PathLink path={path} className={classes['figure']}>
    <span className={classes['figureLabel']}>{label}</span>
    <span className={classes['figureValue']}>{value ?? <Skeleton height={22} width={110} />}</span>
    <span className={classes['figureChange']} data-tone={change?.tone}>
      {value === undefined ? <Skeleton height={12} width={90} /> : (change?.text ?? '')}
      {value !== undefined && <span className={classes['figureNote']}>{note}</span>}
    </span>
    {value !== undefined && more !== undefined && <span className={classes['figureMore']}>{more}</span>}
  </PathLink>
);
