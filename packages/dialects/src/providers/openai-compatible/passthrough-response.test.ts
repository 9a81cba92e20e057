import { describe, expect, it } from 'vitest';
import type { ResponsesCaller } from '../../interfaces/chat-caller.ts';
import { JsonOutline } from '../../json/outline-json.ts';
import { OutlinedResponse } from '../../json/outlined-response.ts';
import type { CountedUsage } from '../../usage/counted-usage.ts';
import { usageOf } from '../../usage/usage.ts';
import { passthroughResponse } from './passthrough-response.ts';

const USAGE = { input_tokens: 10, output_tokens: 5, total_tokens: 15 };
const MESSAGE = {
  id: 'msg_1',
  type: 'message',
  content: [{ type: 'output_text', text: 'hello', annotations: [{ type: 'url_citation', url: 'u' }] }],
};
const SEARCH = { id: 'ws_1', type: 'web_search_call', action: { type: 'search', query: 'who?' } };
const PICTURE = { id: 'ig_1', type: 'image_generation_call', result: 'x'.repeat(1_000) };
const RESPONSE = {
  id: 'resp_1',
  object: 'response',
  status: 'completed',
  model: 'theirs',
  previous_response_id: 'resp_0',
  tools: [{ type: 'image_generation', model: 'theirs' }],
  output: [SEARCH, { ...MESSAGE, model: 'theirs' }, PICTURE],
  usage: USAGE,
};

interface Passed {
  text: string;
  written: unknown;
  counted: CountedUsage | undefined;
  isFree: boolean;
}

/** Both ways of an answer, which come to the same. */
function bothWays(text: string): Passed[] {
  return [pass(text, false), pass(text, true)];
}

function pass(text: string, isLarge: boolean): Passed {
  let written: unknown;
  let counted: CountedUsage | undefined;
  const usage = usageOf('provider', {});
  const caller: ResponsesCaller = {
    sealed: (providerId, responseId) => `sealed ${providerId} ${responseId}`,
    count: (units) => {
      counted = units;
    },
    reportTier: () => undefined,
    passResponse: (body, wrote) => {
      written = wrote;
      return { body, usage };
    },
    passLarge: (pieces, wrote) => {
      written = wrote;
      return { pieces, usage };
    },
    failure: () => '',
    restart: never,
    chunk: never,
    end: never,
    completion: never,
    passEvent: never,
  };
  const ids = { modelId: 'acme/small', sealed: (id: string) => caller.sealed('acme', id) };
  const translator = passthroughResponse(caller, ids);
  if (!isLarge) {
    const { body, usage: used } = translator.whole(JSON.parse(text), text);
    return { text: String(body), written, counted, isFree: used === undefined };
  }
  const chunks = [Buffer.from(text)];
  if (translator.outline === undefined || translator.large === undefined) throw new Error('it reads none');
  const outline = new JsonOutline(translator.outline);
  for (const chunk of chunks) outline.push(chunk);
  const { pieces, usage: used } = translator.large(new OutlinedResponse(chunks, outline.end()));
  return { text: Buffer.concat(pieces).toString(), written, counted, isFree: used === undefined };
}

function never(): never {
  throw new Error('an answer was translated');
}

describe('a whole response, however large', () => {
  it.each([undefined, 2])(
    'a whole response passes byte for byte except its ids, and is counted: indented by %s',
    (space) => {
      const text = JSON.stringify(RESPONSE, undefined, space);
      const own = {
        id: 'sealed acme resp_1',
        model: 'acme/small',
        previous_response_id: 'sealed acme resp_0',
      };
      for (const passed of bothWays(text)) {
        expect(passed.text).toBe(JSON.stringify({ ...RESPONSE, ...own }, undefined, space));
        expect(passed.counted?.units).toMatchObject({
          inputTokens: 10,
          outputTokens: 5,
          webSearchRequests: 1,
        });
        expect(passed.isFree).toBe(false);
      }
    },
  );

  it('a whole response is estimated by what the model has written, without what it has found or drawn', () => {
    for (const { written } of bothWays(JSON.stringify(RESPONSE))) {
      const text = JSON.stringify(written);
      expect(text).toContain('hello');
      expect(text).toContain('who?');
      expect(text).not.toMatch(/xxx|theirs|url_citation/);
    }
  });

  it('a whole response without ids gets none', () => {
    for (const { text } of bothWays('{"object":"response","output":[],"previous_response_id":null}'))
      expect(text).toBe('{"object":"response","output":[],"previous_response_id":null}');
  });

  it.each([
    '{}',
    '{"object":"response"}',
    '{"object":"response","output":{}}',
    '{"object":"list","output":[]}',
  ])('a body that is no whole response is refused: %s', (text) => {
    for (const isLarge of [false, true])
      expect(() => pass(text, isLarge)).toThrow(expect.objectContaining({ code: 'upstream_error' }));
  });
});

describe('a response without output', () => {
  const of = (status: string, usage: object | null) =>
    pass(JSON.stringify({ ...RESPONSE, status, output: [], usage }), false);

  it.each(['failed', 'queued', 'cancelled'])(
    'a response is free when it is %s and has no count',
    (status) => {
      expect(of(status, null).isFree).toBe(true);
    },
  );

  it('a response is not free when its provider has counted something, nor when it is complete', () => {
    expect(of('failed', USAGE)).toMatchObject({ isFree: false, counted: { units: { inputTokens: 10 } } });
    expect(of('completed', null).isFree).toBe(false);
    expect(of('incomplete', null).isFree).toBe(false);
  });
});
