import { z } from 'zod';
import { KnownMembers, requirePlainNames } from './member-spelling.ts';

const STREAM_MEMBERS = new KnownMembers(['include_usage']);

/** The members of a request for a stream in OpenAI's form. */
export const streamMembers = {
  stream: z.boolean().nullish(),
  stream_options: z
    .looseObject({ include_usage: z.boolean().nullish() })
    .check(({ issues, value }) => requirePlainNames(STREAM_MEMBERS, issues, value, []))
    .nullish(),
};

interface StreamMembers {
  stream?: boolean | null | undefined;
  stream_options?: { include_usage?: boolean | null | undefined } | null | undefined;
}

/** Returns what the gateway needs to know about the stream of a request. */
export function streamIn({ stream, stream_options: options }: StreamMembers) {
  return {
    streamed: stream === true,
    includeUsage: options?.include_usage === true,
    /** The provider's `stream_options` as text (they may contain anything), which always request usage. */
    streamOptionsJson: stream === true ? JSON.stringify({ ...options, include_usage: true }) : undefined,
  };
}
