import type { Dispatcher } from 'undici';
import { Client } from 'undici';
import type { Traffic } from './job.ts';
import type { NextRequest } from './request-source.ts';

/** The end of a request. `failure` says what was wrong. */
export interface Ending {
  failure: string | undefined;
  bytes: number;
}

const MAX_ERROR_BYTES = 2_000;

type LaneTraffic = Pick<Traffic, 'origin' | 'path' | 'method' | 'expectStatus' | 'expectHeader'>;

/** A kept-alive connection that carries one request at a time. */
export class Lane {
  readonly #client: Client;
  readonly #traffic: LaneTraffic;

  constructor(traffic: LaneTraffic) {
    this.#traffic = traffic;
    this.#client = new Client(traffic.origin, {
      pipelining: 1,
      keepAliveTimeout: 60_000,
      headersTimeout: 60_000,
      bodyTimeout: 60_000,
      connect: { timeout: 30_000 },
    });
  }

  /** @param onBody called with each part of a right answer's body */
  send(
    { headers, body }: NextRequest,
    onEnd: (ending: Ending) => void,
    onBody?: (part: Buffer) => void,
  ): void {
    const { path, method, expectStatus, expectHeader } = this.#traffic;
    let failure: string | undefined;
    let bytes = 0;
    const handler: Dispatcher.DispatchHandler = {
      // Undici distinguishes its two handler interfaces by this method.
      onRequestStart() {},
      onResponseStart(_controller, statusCode, answerHeaders) {
        if (statusCode !== expectStatus) failure = `status ${statusCode}`;
        else if (expectHeader !== undefined && answerHeaders[expectHeader] === undefined) {
          failure = `no ${expectHeader}`;
        }
      },
      onResponseData(_controller, part) {
        bytes += part.length;
        if (failure === undefined) onBody?.(part);
        else failure = withCode(failure, part);
      },
      onResponseEnd() {
        onEnd({ failure, bytes });
      },
      onResponseError(_controller, error) {
        onEnd({ failure: 'code' in error ? String(error.code) : error.message, bytes });
      },
    };
    this.#client.dispatch({ path, method, headers, ...(method === 'POST' && { body }) }, handler);
  }

  close(): Promise<void> {
    return this.#client.destroy();
  }
}

/** Adds the code of an error answer: `status 503 overloaded`. */
function withCode(failure: string, part: Buffer): string {
  const [, code] = /"code":\s*"(\w{1,50})"/.exec(part.toString('latin1', 0, MAX_ERROR_BYTES)) ?? [];
  return code === undefined || failure.includes(code) ? failure : `${failure} ${code}`;
}

/** Counts correct responses and failures. */
export class Tally {
  answers = 0;
  bytes = 0;
  readonly failures: Record<string, number> = {};

  /** @returns true if the answer was right */
  count({ failure, bytes }: Ending): boolean {
    if (failure !== undefined) {
      this.failures[failure] = (this.failures[failure] ?? 0) + 1;
      return false;
    }
    this.answers += 1;
    this.bytes += bytes;
    return true;
  }
}
