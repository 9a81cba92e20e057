import { hasOwnApiMembers } from '@model-gateway/shared';
import { expect, it } from 'vitest';
import { removeOwnApiMembers } from './remove-own-api-members.ts';

const GLOBAL = { type: 'ephemeral', scope: 'global' };
const EPHEMERAL = { type: 'ephemeral' };
const HI = { role: 'user', content: 'hi' };
const tool = (members: object) => ({ name: 'x', input_schema: {}, ...members });

it.each<[string, object, object, string[]]>([
  [
    'the cache mark of the request becomes one of its end',
    { messages: [HI], cache_control: EPHEMERAL, diagnostics: {} },
    { messages: [{ role: 'user', content: [{ type: 'text', text: 'hi', cache_control: EPHEMERAL }] }] },
    ['cache_control', 'diagnostics'],
  ],
  [
    'scopes of cache marks are removed wherever they stand',
    {
      system: [{ type: 'text', text: 's', cache_control: GLOBAL }],
      messages: [
        {
          role: 'user',
          content: [{ type: 'tool_result', content: [{ type: 'text', text: 'a', cache_control: GLOBAL }] }],
        },
      ],
      tools: [tool({ cache_control: GLOBAL })],
    },
    {
      system: [{ type: 'text', text: 's', cache_control: EPHEMERAL }],
      messages: [
        {
          role: 'user',
          content: [
            { type: 'tool_result', content: [{ type: 'text', text: 'a', cache_control: EPHEMERAL }] },
          ],
        },
      ],
      tools: [tool({ cache_control: EPHEMERAL })],
    },
    ['cache_control.scope'],
  ],
  [
    'the scope of the mark of the request is removed, too',
    { messages: [HI], cache_control: GLOBAL },
    { messages: [{ role: 'user', content: [{ type: 'text', text: 'hi', cache_control: EPHEMERAL }] }] },
    ['cache_control', 'cache_control.scope'],
  ],
  [
    'members of tools are removed, but for the search',
    {
      messages: [HI],
      tools: [tool({ eager_input_streaming: true, input_examples: [{}], defer_loading: true })],
    },
    { messages: [HI], tools: [tool({ defer_loading: true })] },
    ['tools[].eager_input_streaming', 'tools[].input_examples'],
  ],
])('for clouds, %s', (_name, request, expected, ignored) => {
  expect(hasOwnApiMembers({ ...request })).toBe(true);
  const removed = removeOwnApiMembers({ ...request });
  expect(removed.request).toEqual(expected);
  expect(removed.ignored.toSorted()).toEqual(ignored);
  expect(hasOwnApiMembers(removed.request)).toBe(false);
});

it('a usual request has nothing that clouds refuse', () => {
  const request = { messages: [HI], system: 'a', tools: [tool({ cache_control: EPHEMERAL })] };
  expect(hasOwnApiMembers(request)).toBe(false);
  expect(removeOwnApiMembers(request)).toEqual({ request, ignored: [] });
});
