import { withGateway } from '@model-gateway/test-kit';
import { describe, expect, it } from 'vitest';
import { matrixOptions, modelIdOf } from '../matrix/cell.ts';
import { MATRIX_KINDS } from '../matrix/kinds.ts';

/** Requests of Messages with members that only Anthropic's own API accepts. */

const CLAUDES = MATRIX_KINDS.filter(({ title }) => /Claude|Anthropic/.test(title));
const gateway = withGateway(matrixOptions(CLAUDES));

const tool = {
  name: 'search',
  input_schema: { type: 'object' },
  input_examples: [{}],
  eager_input_streaming: true,
};
const REQUEST = {
  max_tokens: 100,
  cache_control: { type: 'ephemeral' },
  system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
  messages: [{ role: 'user', content: 'What is a glacier?' }],
};
const post = (request: object, path = 'messages') =>
  gateway.post(path, JSON.stringify(request), {
    headers: { 'anthropic-beta': 'advanced-tool-use-2025-11-20' },
  });

describe.each(CLAUDES)('Messages at $title', (kind) => {
  const isOwnApi = kind.title === 'Anthropic';
  const request = {
    ...REQUEST,
    model: modelIdOf(kind),
    tools: [tool, { ...tool, name: 'x', defer_loading: true }],
  };

  it.each([false, true])(
    'a request is served that only its own API accepts whole, streamed: %s',
    async (stream) => {
      const response = await post({ ...request, stream });
      expect(response.status).toBe(200);
      await response.text();
      const ignored = 'cache_control,tools[].eager_input_streaming,tools[].input_examples';
      const named = response.headers.get('x-gateway-ignored')?.split(/, ?/).toSorted().join();
      expect(named).toBe(isOwnApi ? undefined : ignored);
      const sent = gateway.provider.requests.at(-1);
      const search = `${sent?.bodyText} ${sent?.headers['anthropic-beta']}`;
      expect(search).toContain(isOwnApi ? 'advanced-tool-use' : 'tool-search-tool-2025-10-19');
      // The mark of the whole request stands at its end.
      expect(sent?.bodyText).toContain('"cache_control":{"type":"ephemeral"}');
    },
  );

  it('a request for a count is served in the same way', async () => {
    const { max_tokens: _, ...counted } = request;
    const response = await post(counted, 'messages/count_tokens');
    expect(await response.json()).toEqual({ input_tokens: expect.any(Number) });
  });
});
