import { readAll, withGateway } from '@model-gateway/test-kit';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { allApis, EVERY_KIND } from '../endpoints/all-apis.ts';
import { CASES, FURTHER_CASES, NOT_RUN, type OpenResponsesCase } from './cases.ts';
import { finalResponseOf } from './final-response.ts';
import { readPublished } from './published.ts';

const { missing, published } = readPublished();
const answered = z.looseObject({
  status: z.string(),
  error: z.looseObject({ code: z.string() }).nullable(),
  output: z.array(z.looseObject({ type: z.string() })),
});

const gateway = withGateway({ document: allApis });

async function post(body: object): Promise<Response> {
  return gateway.post('responses', body);
}

/** Sends a request, compares all that comes back with the published schema, and reads it as a client does. */
async function ask(body: object, streamed: boolean): Promise<z.infer<typeof answered>> {
  const http = await post({ ...body, stream: streamed });
  const text = (await readAll(http)).text;
  expect(http.status, text).toBe(200);
  if (!streamed) {
    const response: unknown = JSON.parse(text);
    expect(published?.problemsOfResponse(response)).toEqual([]);
    return answered.parse(response);
  }
  expect(text).not.toContain('[DONE]');
  const events = text
    .split('\n\n')
    .filter((block) => block.trim() !== '' && !block.startsWith(':'))
    .map((block) => {
      const { name, data } = /^event: (?<name>\S+)\ndata: (?<data>.*)$/.exec(block)?.groups ?? {};
      const value = z.looseObject({ type: z.string() }).parse(JSON.parse(data ?? 'null'));
      expect(value.type).toBe(name);
      return value;
    });
  expect(events.flatMap((event) => published?.problemsOfEvent(event) ?? [])).toEqual([]);
  const final = finalResponseOf(events);
  expect(published?.problemsOfResponse(final)).toEqual([]);
  return answered.parse(final);
}

const WAYS = [
  ['whole', false],
  ['streamed', true],
] as const;

describe.skipIf(missing !== undefined)('the cases of Open Responses', () => {
  it('every published case runs here, or is named with a reason', () => {
    const here = [...CASES.map(({ id }) => id), ...Object.keys(NOT_RUN)];
    expect(here.sort()).toEqual([...(published?.caseIds ?? [])].sort());
  });

  describe.each(EVERY_KIND)('and a model of %s', (_name, model) => {
    describe.each(WAYS)('%s', (_way, streamed) => {
      it.each([...CASES, ...FURTHER_CASES].map((one) => [one.id, one] as const))(
        'the case %s passes',
        async (_id, { output, request }: OpenResponsesCase) => {
          const response = await ask({ ...request, model }, streamed);
          expect(response.status).toBe('completed');
          expect(response.output.length).toBeGreaterThan(0);
          if (output !== undefined) expect(response.output.map(({ type }) => type)).toContain(output);
        },
      );

      it('a response that was cut at its maximum length is incomplete', async () => {
        const request = { input: 'Why is the sky blue? Explain.', max_output_tokens: 16, model };
        expect((await ask(request, streamed)).status).toBe('incomplete');
      });
    });

    it.each([
      ['is cut', { truncate: { after_events: 6 } }],
      ['is reset', { reset: { after_events: 6 } }],
    ])('a response whose stream %s in the middle has failed', async (_what, fault) => {
      gateway.provider.script({ content: 'word '.repeat(50), ...fault });
      const response = await ask({ input: 'Why is the sky blue?', model }, true);
      expect(response).toMatchObject({ status: 'failed', error: { code: 'server_error' } });
    });
  });
});
