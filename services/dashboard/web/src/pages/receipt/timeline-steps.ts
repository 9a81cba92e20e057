import { formatDuration } from '../../format/format-duration.ts';
import { formatFullUsd } from './exact-usd.ts';

/** An attempt at a provider. Times in Unix milliseconds, or milliseconds; null: not recorded, or none. */
export interface TimedAttempt {
  provider: string;
  model: string;
  startedAtMs: number | null;
  durationMs: number;
  timeToFirstTokenMs: number | null;
  errorCode: string | null;
  /** Variable of the credential, for operators. */
  credential?: string | undefined;
  /** What the provider may bill although the response was not used, for operators. */
  unusedUsd?: string | undefined;
  providerRequestId?: string | undefined;
  /** The outcome, in words for the reader. */
  outcome: string;
}

/** The parts of a receipt that its timeline shows. */
export interface TimedReceipt {
  arrivedAtMs: number | null;
  endedAtMs: number;
  settledAtMs: number | null;
  heldUsd: string;
  costUsd: string;
  uncollectedUsd: string;
  debits: readonly { name: string; amountUsd: string }[];
  attempts: readonly TimedAttempt[];
  /** What the provider charges, for operators. */
  operatorMoney?: { costUsd: string; marginUsd: string; unusedUsd: string } | undefined;
  /** The response to the caller, in words; undefined: not known. */
  response: string | undefined;
}

export interface TimelineStep {
  id: string;
  title: string;
  /** Null: not recorded. */
  atMs: number | null;
  details: string[];
  isFailure?: boolean;
}

/** Returns what happened to a request, step by step. */
export function timelineSteps(receipt: TimedReceipt): TimelineStep[] {
  const { arrivedAtMs, attempts, endedAtMs, heldUsd, response, settledAtMs } = receipt;
  const [first] = attempts;
  return [
    { id: 'arrival', title: 'Arrived', atMs: arrivedAtMs, details: [] },
    {
      id: 'admission',
      title: 'Admitted',
      atMs: first === undefined ? null : first.startedAtMs,
      details: [
        `Key, rules, limits and budgets were checked. ${Number(heldUsd) > 0 ? `${formatFullUsd(heldUsd)} was reserved.` : 'Nothing was reserved.'}`,
      ],
    },
    ...attempts.flatMap((attempt, index) => attemptSteps(attempt, index + 1)),
    {
      id: 'end',
      title: 'Ended',
      atMs: endedAtMs,
      details: response === undefined ? [] : [`Response: ${response}`],
    },
    { id: 'settlement', title: 'Settled', atMs: settledAtMs, details: settlementOf(receipt) },
  ];
}

function attemptSteps(attempt: TimedAttempt, number: number): TimelineStep[] {
  const { credential, durationMs, errorCode, model, outcome, provider, startedAtMs, timeToFirstTokenMs } =
    attempt;
  const { providerRequestId, unusedUsd } = attempt;
  const steps: TimelineStep[] = [
    {
      id: `attempt-${number}`,
      title: `Attempt ${number}: ${provider}`,
      atMs: startedAtMs,
      details: [
        credential === undefined ? model : `${model}, with ${credential}`,
        `${outcome}, after ${formatDuration(durationMs)}`,
        ...(unusedUsd === undefined
          ? []
          : [`The provider may bill ${formatFullUsd(unusedUsd)} for it (estimated)`]),
        ...(providerRequestId === undefined ? [] : [`Request of the provider: ${providerRequestId}`]),
      ],
      isFailure: errorCode !== null,
    },
  ];
  if (timeToFirstTokenMs !== null) {
    const atMs = startedAtMs === null ? null : startedAtMs + timeToFirstTokenMs;
    const details = [`${formatDuration(timeToFirstTokenMs)} after the start of the attempt`];
    steps.push({ id: `token-${number}`, title: 'First token', atMs, details });
  }
  return steps;
}

function settlementOf({ costUsd, debits, operatorMoney, uncollectedUsd }: TimedReceipt): string[] {
  const paid = debits.map(({ amountUsd, name }) => `${name} paid ${formatFullUsd(amountUsd)}`);
  return [
    ...(operatorMoney === undefined
      ? [`Cost ${formatFullUsd(costUsd)}`]
      : [
          `Charged ${formatFullUsd(costUsd)}`,
          `Cost at the provider ${formatFullUsd(operatorMoney.costUsd)}`,
          `Margin ${formatFullUsd(operatorMoney.marginUsd)}`,
        ]),
    ...paid,
    ...(Number(uncollectedUsd) > 0 ? [`Not collected ${formatFullUsd(uncollectedUsd)}`] : []),
  ];
}
