import type { Capability } from '@model-gateway/shared';

/** A made-up program that uses the gateway with a key of its own. */
export interface Workload {
  /** The name of its key. */
  name: string;
  /** Its share of all requests. */
  share: number;
  /** How busy each hour of the day (UTC) is, compared with the others. */
  hours: readonly number[];
  /** How busy a day of the weekend is, compared with a working day. */
  weekend: number;
  /**
   * How often it asks for each capability, compared with the others. Capabilities that the catalog does not
   * have are left out.
   */
  mix: Partial<Record<Capability, number>>;
  /** The share of its chats that are streamed. */
  streamed: number;
}

const WORKING_DAY = [
  1, 1, 1, 1, 1, 2, 4, 8, 14, 18, 20, 19, 15, 17, 20, 20, 18, 15, 11, 8, 6, 4, 3, 2,
] as const;
const NIGHT = [0, 0, 12, 16, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1] as const;
const AFTERNOON = [0, 0, 0, 0, 0, 0, 0, 0, 1, 3, 4, 3, 2, 6, 9, 9, 7, 5, 3, 4, 5, 4, 2, 0] as const;

export const WORKLOADS: readonly Workload[] = [
  {
    name: 'web app (made up)',
    share: 0.62,
    hours: WORKING_DAY,
    weekend: 0.4,
    mix: { chat: 14, embeddings: 4, rerank: 2 },
    streamed: 0.9,
  },
  {
    name: 'nightly job (made up)',
    share: 0.25,
    hours: NIGHT,
    weekend: 1,
    mix: { embeddings: 6, chat: 3, transcription: 2 },
    streamed: 0,
  },
  {
    name: 'prototype (made up)',
    share: 0.13,
    hours: AFTERNOON,
    weekend: 0.5,
    mix: { chat: 4, images: 3, speech: 2, transcription: 1 },
    streamed: 0.6,
  },
];
