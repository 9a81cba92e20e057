import { type Unit, utcDay } from '@model-gateway/shared';

/** The unit of a line: one of the gateway's, or whole requests. */
export type BillUnit = Unit | 'requests';

/**
 * One line of a provider's bill or usage report, in the same form for every provider. Lines can be added up:
 * each token is in one line only, so `inputTokens` leaves out cached tokens and other parts that have lines
 * of their own (see `disjointUnits`). Providers report reasoning as output.
 */
export interface BillLine {
  /** The day in UTC on which the line begins, as YYYY-MM-DD. */
  day: string;
  startTimeMs: number;
  /** Exclusive; null if the file does not say. */
  endTimeMs: number | null;
  /** The model's name in the file, which may be a billing name ("Claude4Sonnet"). */
  model: string | null;
  /** The id or name of the API key, or the cloud's identity or inference profile. */
  credential: string | null;
  /** The project, workspace or cloud account. */
  project: string | null;
  /** The provider's word for the tier, in lower case; null if the file does not say. */
  serviceTier: string | null;
  /** Null: the gateway has no such unit; `unitName` names it. */
  unit: BillUnit | null;
  /** The provider's own name of the unit. */
  unitName: string;
  /** A whole number, or decimal text. Null: the line has only money. */
  quantity: bigint | string | null;
  /** Rounded once per line to the nearest nano-USD. Null: the line has only usage. */
  costNanoUsd: bigint | null;
  /** The number of requests in a line of unit `requests`, else null. */
  requests: number | null;
  /** The provider's request id; null if the line is a sum of many requests. */
  requestId: string | null;
  /** The id that the client sent with the request. */
  clientRequestId: string | null;
}

type Start = Pick<BillLine, 'startTimeMs' | 'unit' | 'unitName'>;

/** Creates a line. Members that are left out are null, which means unknown. */
export function billLine(line: Start & Partial<BillLine>): BillLine {
  return {
    endTimeMs: null,
    model: null,
    credential: null,
    project: null,
    serviceTier: null,
    quantity: null,
    costNanoUsd: null,
    requests: null,
    requestId: null,
    clientRequestId: null,
    ...line,
    day: utcDay(line.startTimeMs),
  };
}

/** Creates the line that counts requests; none if there are none. */
export function requestsLine(
  base: Partial<BillLine> & Pick<BillLine, 'startTimeMs'>,
  name: string,
  requests: bigint,
): BillLine[] {
  if (requests === 0n) return [];
  return [
    billLine({ ...base, unit: 'requests', unitName: name, quantity: requests, requests: Number(requests) }),
  ];
}
