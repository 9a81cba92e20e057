import { describe, expect, it } from 'vitest';
import type { ChatMessage } from './chat-request.ts';
import { nextMarkedCalls } from './marked-calls.ts';

const user = (content: string): ChatMessage => ({ role: 'user', content });
const called: ChatMessage[] = [
  { role: 'assistant', content: null, tool_calls: [{ id: 'call_1' }] },
  { role: 'tool', content: 'run: not this' },
];
const bash = (command: string) =>
  expect.arrayContaining([{ name: 'Bash', input: { command, description: expect.any(String) } }]);

describe('a text with marked tool calls', () => {
  it('leads to one call per turn, in the order of its lines, and then to none', () => {
    const asked = user('Please run: echo hi > out.txt\nThen use Read: {"file_path":"/tmp/out.txt"}');
    expect(nextMarkedCalls([asked], true)).toEqual([bash('echo hi > out.txt')]);
    expect(nextMarkedCalls([asked, ...called], true)).toEqual([
      [{ name: 'Read', input: { file_path: '/tmp/out.txt' } }],
    ]);
    expect(nextMarkedCalls([asked, ...called, ...called], true)).toEqual([]);
    expect(nextMarkedCalls([asked, ...called, ...called, user('Thanks.')], true)).toEqual([]);
  });

  it('runs a command with any of the tools that agents have for commands', () => {
    const [calls = []] = nextMarkedCalls([user('run: ls')], true);
    expect(calls.slice(1)).toEqual([
      { name: 'exec_command', input: { cmd: 'ls' } },
      { name: 'shell_command', input: { command: 'ls' } },
      { name: 'shell', input: { command: ['bash', '-lc', 'ls'] } },
    ]);
  });

  it('marks parallel calls with `also`, if the request allows them', () => {
    const asked = user('run: `date`\nalso run: ls');
    expect(nextMarkedCalls([asked], true)).toEqual([bash('date'), bash('ls')]);
    expect(nextMarkedCalls([asked], false)).toEqual([bash('date')]);
    expect(nextMarkedCalls([asked, ...called], false)).toEqual([bash('ls')]);
  });

  it('is not a reminder of a client, part of a word, or invalid JSON', () => {
    const texts = [
      '<system-reminder>\nrun: npm test\n</system-reminder>\nHello.',
      'overrun: it',
      'use X: {no',
    ];
    for (const text of texts) expect(nextMarkedCalls([user(text)], true)).toEqual([]);
  });
});
