import type { ChatApi } from '@model-gateway/dialects';
import { z } from 'zod';
import { readMessageStream } from '../../../../packages/dialects/tests/messages-grammar.ts';
import { readResponseStream } from '../../../../packages/dialects/tests/responses-grammar.ts';
import { require } from './fuzz-target.ts';

interface StreamEnd {
  hasFailed: boolean;
  /** True if the events are the provider's own: then only their framing and their end are the gateway's. */
  isPassthrough: boolean;
}

/** @throws Error where a stream breaks the rules of its caller's API, or does not end exactly once */
export function requireGrammar(api: ChatApi, text: string, end: StreamEnd): void {
  require(text === '' || text.endsWith('\n\n'), 'the last event is not whole');
  const events = framesIn(text);
  require(events.length > 0, 'a stream without any event');
  ENDS[api](events, end);
  if (end.isPassthrough || api === 'chat-completions') return;
  const { hasFailed, isComplete } = api === 'messages' ? readMessageStream(text) : readResponseStream(text);
  require(isComplete === !end.hasFailed && hasFailed === end.hasFailed, 'it ended otherwise');
}

interface Frame {
  event: string | undefined;
  data: unknown;
}

const DONE = '[DONE]';

function framesIn(text: string): Frame[] {
  return text
    .split('\n\n')
    .slice(0, -1)
    .map((entry) => {
      const [, event, data = ''] = /^(?:event: ([^\r\n]*)\n)?data: ([^\r\n]+)$/.exec(entry) ?? [];
      require(data !== '', `no event: ${JSON.stringify(entry)}`);
      return { event, data: data === DONE ? DONE : JSON.parse(data) };
    });
}

const chunk = z.looseObject({
  choices: z.array(z.looseObject({})),
  model: z.string(),
});
const failed = z.looseObject({ error: z.looseObject({ message: z.string() }) });
const typed = z.looseObject({ type: z.string() });
const ENDS_OF_RESPONSES = /^response\.(?:completed|incomplete|cancelled|failed)$/;

const ENDS: Readonly<Record<ChatApi, (events: readonly Frame[], end: StreamEnd) => void>> = {
  'chat-completions': (events, { hasFailed }) => {
    const last = events.at(-1)?.data;
    require(hasFailed ? failed.safeParse(last).success : last === DONE, 'it does not end as it should');
    for (const { data } of events.slice(0, -1)) {
      require(data !== DONE, 'it ends twice');
      chunk.parse(data);
    }
  },
  messages: (events, { hasFailed }) => {
    require(typesOf(events).at(-1) ===
      (hasFailed ? 'error' : 'message_stop'), 'it does not end as it should');
    const ends = typesOf(events).filter((type) => type === 'message_stop' || type === 'error');
    require(ends.length === 1, `it ends ${ends.length} times`);
  },
  responses: (events) => {
    const ends = typesOf(events).filter((type) => ENDS_OF_RESPONSES.test(type));
    require(ENDS_OF_RESPONSES.test(typesOf(events).at(-1) ?? ''), 'it does not end as it should');
    require(ends.length === 1, `it ends ${ends.length} times`);
  },
};

function typesOf(events: readonly Frame[]): string[] {
  return events.map(({ data, event }) => {
    const { type } = typed.parse(data);
    require(event === type, `${event} is called ${type}`);
    return type;
  });
}
