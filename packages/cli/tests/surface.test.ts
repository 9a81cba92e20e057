import type { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Gatewayctl, runWith, startGatewayctl } from './gatewayctl-fixture.ts';
import { programOf } from './program-of.ts';

const EMAIL = 'ada@example.com';
/** Nothing listens on the discard port of a machine that runs tests. */
const NOWHERE = { CONTROL_PLANE_ADDRESS: '127.0.0.1:9' };

const failure = z.strictObject({ error: z.strictObject({ code: z.string(), message: z.string() }) });

let gatewayctl: Gatewayctl;
let id: string;

beforeAll(async () => {
  gatewayctl = await startGatewayctl();
  const account = await gatewayctl.json('accounts', 'create', '--email', EMAIL);
  id = z.object({ id: z.string() }).parse(account).id;
});
afterAll(() => gatewayctl[Symbol.asyncDispose]());

/** Returns the one JSON value that a failed command prints on standard error. */
function failureOf({ out, err }: { out: string; err: string }) {
  expect(out).toBe('');
  return failure.parse(JSON.parse(err)).error;
}

describe('with --json, an error is one JSON value on standard error', () => {
  it('with the code and the words of the control plane, and exit code 1', async () => {
    const outcome = await gatewayctl.run(['keys', 'list', '--account', 'nobody@example.com', '--json']);
    expect(outcome.code).toBe(1);
    expect(failureOf(outcome)).toEqual({
      code: 'not_found',
      message: 'there is no account nobody@example.com',
    });
    const again = await gatewayctl.run(['--json', 'accounts', 'create', '--email', EMAIL]);
    expect(failureOf(again)).toMatchObject({ code: 'already_exists' });
  });

  it('with every line of an answer that has several', async () => {
    const bad = await gatewayctl.run(
      ['catalog', 'apply', '--json', '-f', '-'],
      'providers: 1\nmodels: []\nx: 1',
    );
    const { code, message } = failureOf(bad);
    expect(code).toBe('invalid_argument');
    expect(message.split('\n').length).toBeGreaterThanOrEqual(2);
  });

  it('when nobody answers, a file cannot be read, or a setting is wrong', async () => {
    const away = await runWith(NOWHERE, ['status', '--json']);
    expect(away.code).toBe(1);
    expect(failureOf(away)).toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('127.0.0.1:9'),
    });
    const unread = await gatewayctl.run(['catalog', 'apply', '-f', '/nonexistent/file', '--json']);
    expect(failureOf(unread)).toMatchObject({ code: 'unreadable_file' });
    const wrong = await runWith({ CONTROL_PLANE_ADDRESS: 'nowhere' }, ['status', '--json']);
    expect(failureOf(wrong)).toMatchObject({ code: 'invalid_settings' });
  });

  it('when the command line is not understood, with exit code 2', async () => {
    for (const args of [['nonsense'], ['keys'], [], ['keys', 'create'], ['accounts', 'list', '--unknown']]) {
      const outcome = await runWith({}, [...args, '--json']);
      expect(outcome.code).toBe(2);
      const { code, message } = failureOf(outcome);
      expect(code).toBe('wrong_usage');
      expect(message).not.toMatch(/^error|outputHelp/);
    }
  });
});

describe('an account', () => {
  it('is named by its id or its e-mail address, as an argument or with --account, in every command', async () => {
    const team = z
      .object({ id: z.string() })
      .parse(await gatewayctl.json('teams', 'create', EMAIL, '--name', 'Lab')).id;
    const commands: [string[], string[]][] = [
      [
        ['keys', 'create'],
        ['--name', 'ci'],
      ],
      [['keys', 'list'], []],
      [['limits', 'show'], []],
      [
        ['limits', 'set'],
        ['--streams', '5'],
      ],
      [
        ['teams', 'create'],
        ['--name', 'Team'],
      ],
      [['teams', 'list'], []],
      [['pools', 'list'], []],
      [
        ['pools', 'add'],
        ['--usd', '1'],
      ],
      [['usage'], []],
      [['accounts', 'reset-password'], []],
    ];
    for (const [words, rest] of commands) {
      for (const name of [[id], [EMAIL], ['--account', id], ['--account', EMAIL]]) {
        const args = [...words, ...name, ...rest];
        expect({ args, ...(await gatewayctl.run(args)) }).toMatchObject({ args, code: 0 });
      }
    }
    expect(await gatewayctl.json('seats', 'add', EMAIL, '--team', team)).toMatchObject({ account_id: id });
  });

  it('is taken in both ways by every command that takes one, but where another argument stands', () => {
    const leaves = (command: Command): Command[] =>
      command.commands.length === 0 ? [command] : command.commands.flatMap(leaves);
    const oneWay = leaves(programOf()).filter((command) => {
      const names = command.registeredArguments.map((argument) => argument.name().toLowerCase());
      const [asArgument, asOption] = [
        names.includes('account'),
        command.options.some(({ long }) => long === '--account'),
      ];
      return asArgument !== asOption && (asArgument || names.length === 0);
    });
    expect(oneWay.map((command) => `${command.parent?.name()} ${command.name()}`)).toEqual([]);
  });

  it('is named once', async () => {
    for (const args of [
      ['keys', 'list'],
      ['keys', 'list', EMAIL, '--account', EMAIL],
      ['pools', 'list', EMAIL, '--team', 'team_1'],
      ['accounts', 'reset-password'],
    ]) {
      const { code, out, err } = await gatewayctl.run(args);
      expect({ args, code, out }).toEqual({ args, code: 2, out: '' });
      expect(err).toMatch(/^error: name .+\n/);
    }
  });
});

describe('--help', () => {
  it('marks what a command cannot do without', async () => {
    const { out } = await runWith({}, ['keys', 'create', '--help']);
    expect(out).toMatch(/^Usage: gatewayctl keys create --name <name> \[options\] \[ACCOUNT\]$/m);
    expect(out).toMatch(/^ +--name <name> .*\(required\)$/m);
    expect(out).toMatch(/^ +--account <account> .*\(required/m);
    expect(out).toMatch(/^ +--seat <seat> (?!.*required)/m);
    const apply = await runWith({}, ['catalog', 'apply', '--help']);
    expect(apply.out).toMatch(/^Usage: gatewayctl catalog apply --file <file> \[options\]$/m);
    expect(apply.out).toMatch(/^ +-f, --file <file> .*\(required\)$/m);
  });
});
