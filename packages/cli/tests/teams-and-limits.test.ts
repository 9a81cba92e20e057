import { isWellFormedApiKey } from '@model-gateway/shared';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Gatewayctl, ISO_TIMESTAMP, startGatewayctl } from './gatewayctl-fixture.ts';

const OWNER = 'owner@example.com';
const MEMBER = 'member@example.com';

let gatewayctl: Gatewayctl;

beforeAll(async () => {
  gatewayctl = await startGatewayctl();
  for (const email of [OWNER, MEMBER]) await gatewayctl.json('accounts', 'create', '--email', email);
});
afterAll(() => gatewayctl[Symbol.asyncDispose]());

describe('gatewayctl teams', () => {
  it('creates teams, lists them and changes their limit', async () => {
    const team = {
      id: expect.stringMatching(/^team_/),
      account_id: expect.stringMatching(/^acct_/),
      name: 'Research',
      requests_per_minute: 600,
      status: 'active',
      created_at: ISO_TIMESTAMP,
    };
    const create = ['teams', 'create', '--account', OWNER, '--name'];
    expect(await gatewayctl.json(...create, 'Research')).toEqual(team);
    const id = await gatewayctl.id(...create, 'Small', '--requests-per-minute', '5');
    const small = { ...team, id, name: 'Small', requests_per_minute: 5 };
    expect(await gatewayctl.json('teams', 'list', '--account', OWNER)).toEqual([team, small]);
    expect(await gatewayctl.json('teams', 'set-limit', id, '--requests-per-minute', '50')).toEqual({
      ...small,
      requests_per_minute: 50,
      unconfirmed_instances: [],
    });
    const { out } = await gatewayctl.run(['teams', 'list', '--account', OWNER]);
    expect(out).toMatch(/^ID +NAME +REQUESTS\/MIN +CREATED +STATUS\n/);
    expect(out).toMatch(/^team_\w+ +Small +50 +\d{4}-.*Z +active$/m);
  });
});

describe('gatewayctl seats', () => {
  it('adds a seat, creates keys on it, and revokes the keys with the seat', async () => {
    const team = await gatewayctl.id('teams', 'create', '--account', OWNER, '--name', 'Lab');
    const added = await gatewayctl.json('seats', 'add', '--team', team, '--account', MEMBER);
    const active = {
      id: expect.stringMatching(/^seat_/),
      team_id: team,
      account_id: expect.stringMatching(/^acct_/),
      account_email: MEMBER,
      status: 'active',
      created_at: ISO_TIMESTAMP,
      removed_at: null,
    };
    expect(added).toEqual(active);
    expect(await gatewayctl.json('seats', 'list', '--team', team)).toEqual([added]);

    const { id: seat } = z.object({ id: z.string() }).parse(added);
    const created = await gatewayctl.run([
      ...['keys', 'create', '--account', MEMBER, '--seat', seat, '--name', 'lab'],
    ]);
    expect(created.code).toBe(0);
    expect(isWellFormedApiKey(created.out.trimEnd())).toBe(true);
    const [key] = z
      .array(z.object({ id: z.string(), status: z.string(), seat_id: z.string() }))
      .parse(await gatewayctl.json('keys', 'list', '--account', MEMBER));
    expect(key).toMatchObject({ status: 'active', seat_id: seat });
    const table = await gatewayctl.run(['keys', 'list', '--account', MEMBER]);
    expect(table.out).toMatch(new RegExp(`^key_\\w+ +lab +.* ${seat}$`, 'm'));

    const removed = { ...active, id: seat, status: 'removed', removed_at: ISO_TIMESTAMP };
    expect(await gatewayctl.json('seats', 'remove', seat)).toEqual({
      ...removed,
      revoked_key_ids: [key?.id],
      unconfirmed_instances: [],
    });
    expect(await gatewayctl.json('seats', 'list', '--team', team)).toEqual([removed]);
    expect(await gatewayctl.json('keys', 'list', '--account', MEMBER)).toEqual([
      expect.objectContaining({ id: key?.id, status: 'revoked' }),
    ]);
    expect(await gatewayctl.run(['seats', 'remove', seat])).toEqual({
      code: 0,
      out: `${seat} removed; revoked ${key?.id}; refused everywhere from now on\n`,
      err: '',
    });
    const seats = await gatewayctl.run(['seats', 'list', '--team', team]);
    expect(seats.out).toMatch(/^seat_\w+ +acct_\w+ +member@example\.com +removed +\d{4}-.*Z +\d{4}-.*Z$/m);
  });
});

describe('gatewayctl seats invite', () => {
  it('invites an address without an account, and lists the invitation until it is withdrawn', async () => {
    const team = await gatewayctl.id('teams', 'create', '--account', OWNER, '--name', 'Open');
    const invite = ['seats', 'invite', '--team', team, '--email', 'New@example.com'];
    const invited = {
      id: expect.stringMatching(/^inv_/),
      team_id: team,
      account_id: null,
      account_email: 'new@example.com',
      status: 'invited',
      created_at: ISO_TIMESTAMP,
      removed_at: null,
      expires_at: ISO_TIMESTAMP,
    };
    const token = expect.stringMatching(/^[\w-]{43}$/);
    const first = await gatewayctl.json(...invite);
    expect(first).toEqual({ ...invited, token, url: null });
    expect(await gatewayctl.json('seats', 'list', '--team', team)).toEqual([invited]);
    const printed = await gatewayctl.run(invite);
    expect(printed.out).toMatch(/^[\w-]{43}\n$/);
    expect(printed.err).toMatch(
      /^for new@example\.com; .*\/invitation#token=<this token>, or set PUBLIC_URL/,
    );
    const table = await gatewayctl.run(['seats', 'list', '--team', team]);
    expect(table.out).toMatch(/^inv_\w+ +- +new@example\.com +invited +\d{4}-.*Z +-$/m);
    const [{ id } = { id: '' }] = z
      .array(z.object({ id: z.string() }))
      .parse(await gatewayctl.json('seats', 'list', '--team', team));
    expect(await gatewayctl.json('seats', 'withdraw', id)).toEqual({
      ...{ id, account_email: 'new@example.com', status: 'withdrawn' },
    });
    expect(await gatewayctl.json('seats', 'list', '--team', team)).toEqual([]);
    const again = await gatewayctl.run(['seats', 'withdraw', id]);
    expect(again).toEqual({ code: 1, out: '', err: `gatewayctl: there is no invitation ${id}\n` });
  });
});

describe('gatewayctl limits', () => {
  it('sets the named limits, restores a default with "default", and shows all limits', async () => {
    const set = ['limits', 'set', '--account', MEMBER];
    const first = await gatewayctl.json(...set, '--free-per-minute', '7', '--streams', '2');
    const inForce = {
      account_id: expect.stringMatching(/^acct_/),
      free_per_minute: 7,
      paid_per_minute: 100,
      reads_per_minute: 300,
      streams: 2,
      defaults: ['paid_per_minute', 'reads_per_minute'],
    };
    expect(first).toEqual({ ...inForce, unconfirmed_instances: [] });
    const more = ['--paid-per-minute', '8', '--reads-per-minute', '9', '--streams', 'default'];
    await gatewayctl.json(...set, ...more);
    const now = {
      ...inForce,
      paid_per_minute: 8,
      reads_per_minute: 9,
      streams: 10,
      defaults: ['streams'],
    };
    expect(await gatewayctl.json('limits', 'show', '--account', MEMBER)).toEqual(now);
    const { out } = await gatewayctl.run(['limits', 'show', '--account', MEMBER]);
    expect(out).toMatch(/^free per minute +7 +account$/m);
    expect(out).toMatch(/^streams +10 +default$/m);
  });

  it('refuses a command line without a limit, or with a limit that is not a number', async () => {
    const misunderstood = [
      [],
      ['--streams', '-1'],
      ['--streams', 'many'],
      ['--free-per-minute', '1.5'],
      ['--free-per-minute'],
    ];
    for (const args of misunderstood) {
      const { code, out, err } = await gatewayctl.run(['limits', 'set', '--account', OWNER, ...args]);
      expect({ args, code, out }).toEqual({ args, code: 2, out: '' });
      expect(err).toMatch(/^error: .+\n/);
    }
    expect(await gatewayctl.json('limits', 'show', '--account', OWNER)).toMatchObject({
      defaults: ['free_per_minute', 'paid_per_minute', 'reads_per_minute', 'streams'],
    });
  });
});

describe('gatewayctl teams, seats, keys and limits', () => {
  it('print an error of the control plane on one line, with exit code 1', async () => {
    const team = await gatewayctl.id('teams', 'create', '--account', OWNER, '--name', 'Wrong');
    const seat = await gatewayctl.id('seats', 'add', '--team', team, '--account', OWNER);
    const failures = [
      ['teams', 'create', '--account', 'nobody@example.com', '--name', 'x'],
      ['teams', 'create', '--account', OWNER, '--name', 'x', '--requests-per-minute', '0'],
      ['teams', 'list', '--account', 'acct_nobody'],
      ['teams', 'set-limit', 'team_none', '--requests-per-minute', '1'],
      ['seats', 'add', '--team', team, '--account', OWNER],
      ['seats', 'add', '--team', 'team_none', '--account', OWNER],
      ['seats', 'list', '--team', 'team_none'],
      ['seats', 'remove', 'seat_none'],
      ['keys', 'create', '--account', MEMBER, '--seat', seat, '--name', 'x'],
      ['keys', 'create', '--account', OWNER, '--seat', '', '--name', 'x'],
      ['limits', 'set', '--account', OWNER, '--streams', '0'],
      ['limits', 'show', '--account', 'acct_nobody'],
    ];
    for (const args of failures) {
      const { code, out, err } = await gatewayctl.run(args);
      expect({ args, code, out }).toEqual({ args, code: 1, out: '' });
      expect(err).toMatch(/^gatewayctl: \S.+\n$/);
      expect(err).not.toContain('unexpected');
    }
  });
});
