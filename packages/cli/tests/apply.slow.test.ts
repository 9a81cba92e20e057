import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '@model-gateway/test-kit/until';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { WAYS, withApply } from './apply-fixture.ts';
import { MAIN, PROCESS_ENVIRONMENT, runWith } from './gatewayctl-fixture.ts';

const FILE = `
accounts:
  - email: ada@example.com
    name: Ada
    timezone: Europe/Berlin
    week_starts: sunday
    limits: { free_per_minute: 120, streams: default }
    rules:
      budgets: [{ usd: "100", window: month }]
      networks: [10.0.0.0/8, 2001:db8::/32]
    end_user_rules: { budgets: [{ usd: "1", window: day }] }
    members: [{ email: cara@example.com, role: developer }]
    pools:
      - { name: Main, usd: "20", resets: monthly }
      - { name: Gift, usd: "5", expires_at: 2099-01-01T00:00:00+01:00 }
    keys:
      - name: ci
        tags: { project: alpha }
        cache: read, write
        expires_at: 2099-06-01T00:00:00Z
        rules: { models: [acme/*], budgets: [{ usd: "25.00", window: month, on_exceed: warn }] }
      - name: laptop
    teams:
      - name: Lab
        requests_per_minute: 90
        rules: { require_tags: [project] }
        pools: [{ name: Lab money, unlimited: true }]
        seats:
          - account: ben@example.com
            rules: { streams: 2 }
            pools: [{ name: Own, usd: "1.50" }]
            keys: [{ name: lab }]
  - email: ben@example.com
`;

const result = z.object({
  dry_run: z.boolean(),
  changes: z.array(
    z.object({
      action: z.string(),
      object: z.string(),
      differences: z.array(z.object({ field: z.string(), from: z.unknown(), to: z.unknown() })),
    }),
  ),
  unchanged: z.number(),
  secrets_file: z.string().nullable(),
});
const keyList = z.array(
  z.looseObject({ id: z.string(), name: z.string(), status: z.string(), prefix: z.string() }),
);

describe.each(WAYS)('gatewayctl apply by %s', (way) => {
  const control = withApply(way);
  const { apply } = control;
  /** Changes of the first dry run. */
  let planned: string[];

  afterEach(() => rmSync(join(control.gatewayctl.folder, 'gateway.yaml'), { force: true }));

  const secretsPath = () => join(control.gatewayctl.folder, 'secrets.json');
  const applied = async (text: string, ...args: string[]) => {
    const { code, err, out } = await apply(text, '--json', ...args);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    return result.parse(JSON.parse(out));
  };
  const withSecrets = (text: string, ...args: string[]) =>
    applied(text, '--secrets-file', secretsPath(), ...args);
  const secrets = () =>
    z.record(z.string(), z.string()).parse(JSON.parse(readFileSync(secretsPath(), 'utf8')));
  const keysOf = async (account: string) =>
    keyList.parse(await control.gatewayctl.json('keys', 'list', account));
  const changesOf = ({ changes }: z.infer<typeof result>) =>
    changes.map(({ action, object }) => `${action} ${object}`);

  it('shows everything in a dry run, and changes nothing', async () => {
    const plan = await applied(FILE, '--dry-run');
    expect(plan).toMatchObject({ dry_run: true, unchanged: 0, secrets_file: null });
    planned = changesOf(plan);
    expect(planned).toEqual([
      'create account ada@example.com',
      'create account ben@example.com',
      'change limits of ada@example.com',
      'change rules of ada@example.com',
      'change rules of end users of ada@example.com',
      'create member cara@example.com of ada@example.com',
      'create pool Main of ada@example.com',
      'create pool Gift of ada@example.com',
      'create key ci of ada@example.com',
      'create key laptop of ada@example.com',
      'create team Lab of ada@example.com',
      'change rules of team Lab of ada@example.com',
      'create pool Lab money of team Lab of ada@example.com',
      'create seat ben@example.com of team Lab of ada@example.com',
      'change rules of seat ben@example.com of team Lab of ada@example.com',
      'create pool Own of seat ben@example.com of team Lab of ada@example.com',
      'create key lab of seat ben@example.com of team Lab of ada@example.com',
    ]);
    expect(await control.gatewayctl.json('accounts', 'list')).toEqual([]);
  });

  it('creates no key without a file for its secret', async () => {
    const { code, err } = await apply(FILE);
    expect({ code, err }).toEqual({
      code: 1,
      err: 'gatewayctl: 3 keys would be created: name the file for the secrets with --secrets-file\n',
    });
    expect(await control.gatewayctl.json('accounts', 'list')).toEqual([]);
  });

  it('creates what the file names, and writes each secret once to a file of mode 0600', async () => {
    const made = await withSecrets(FILE);
    expect(made).toMatchObject({ dry_run: false, secrets_file: secretsPath() });
    expect(changesOf(made).toSorted()).toEqual(planned.toSorted());
    expect(statSync(secretsPath()).mode & 0o777).toBe(0o600);
    const written = secrets();
    expect(Object.keys(written)).toEqual([
      'ada@example.com/ci',
      'ada@example.com/laptop',
      'ada@example.com/Lab/ben@example.com/lab',
    ]);
    for (const secret of Object.values(written)) expect(secret).toMatch(/^gw_live_\w{49}$/);
    expect(JSON.stringify(made)).not.toContain('gw_live_');
  });

  it('changes nothing the second time, and says so', async () => {
    const before = readFileSync(secretsPath(), 'utf8');
    const again = await withSecrets(FILE);
    expect(again.changes).toEqual([]);
    expect(again.secrets_file).toBeNull();
    expect((await apply(FILE)).out).toBe('Nothing to change: 17 objects are as in the file.\n');
    expect(readFileSync(secretsPath(), 'utf8')).toBe(before);
  });

  it('shows what was changed by hand, and sets it back', async () => {
    const role = FILE.replace('role: developer', 'role: viewer');
    expect(changesOf(await applied(role))).toEqual(['change member cara@example.com of ada@example.com']);
    const [ci] = (await keysOf('ada@example.com')).filter(({ name }) => name === 'ci');
    await control.gatewayctl.run([
      'keys',
      'change',
      ci?.id ?? '',
      '--budget',
      '999/month',
      '--tag',
      'project=beta',
      '--cache',
      'off',
    ]);
    await control.gatewayctl.run(['keys', 'expire', ci?.id ?? '', '--at', 'never']);
    await control.gatewayctl.run(['limits', 'set', 'ada@example.com', '--free-per-minute', '7']);
    await control.gatewayctl.run(['accounts', 'change', 'ada@example.com', '--week-starts', 'monday']);
    const { out } = await apply(FILE, '--dry-run');
    expect(out.split('\n').filter((line) => line.startsWith('~'))).toEqual([
      '~ account ada@example.com: week_starts is monday, in the file sunday',
      '~ limits of ada@example.com: free_per_minute is 7, in the file 120',
      '~ member cara@example.com of ada@example.com: role is viewer, in the file developer',
      expect.stringMatching(
        /^~ key ci of ada@example\.com: tags is \{"project":"beta"\}, .*cache is null, in the file read, write; rules\.budgets is .*999.*, in the file .*25\.00.*expires_at is null, in the file 2099-06-01T00:00:00\.000Z$/,
      ),
    ]);
    expect(changesOf(await applied(FILE))).toHaveLength(4);
    expect((await applied(FILE)).changes).toEqual([]);
  });

  it('leaves alone what the file does not name, and removes it with --prune after showing it', async () => {
    const extra = await control.gatewayctl.id('keys', 'create', 'ada@example.com', '--name', 'by-hand');
    await control.gatewayctl.json('pools', 'add', 'ada@example.com', '--usd', '3', '--name', 'By hand');
    await control.gatewayctl.json('teams', 'create', 'ada@example.com', '--name', 'By hand');
    await control.gatewayctl.json('accounts', 'create', '--email', 'other@example.com');
    expect((await applied(FILE)).changes).toEqual([]);
    const removals = [
      'remove pool By hand of ada@example.com',
      'remove key by-hand of ada@example.com',
      'remove team By hand of ada@example.com',
    ];
    expect(changesOf(await applied(FILE, '--prune', '--dry-run'))).toEqual(removals);
    const { code, err } = await apply(FILE, '--prune');
    expect(code).toBe(0);
    expect(err).toBe(
      `gatewayctl: --prune removes:\n${removals.map((line) => `${line.replace('remove', '-')}\n`).join('')}`,
    );
    expect((await keysOf('ada@example.com')).find(({ id }) => id === extra)?.status).toBe('revoked');
    expect(await control.gatewayctl.json('accounts', 'list', '--search', 'other@')).toHaveLength(1);
    expect((await applied(FILE, '--prune')).changes).toEqual([]);
  });

  it('leaves lists and members alone that the file leaves out, also with --prune', async () => {
    const bare = 'accounts: [{ email: ada@example.com }]';
    expect((await applied(bare, '--prune')).changes).toEqual([]);
    expect(
      changesOf(await applied('accounts: [{ email: ada@example.com, keys: [] }]', '--prune', '--dry-run')),
    ).toEqual(['remove key laptop of ada@example.com', 'remove key ci of ada@example.com']);
  });

  it('refuses unknown fields and names in a list twice, with their line and path', async () => {
    const wrong = [
      'accounts:',
      '  - email: ada@example.com',
      '    budgets: []',
      '    keys:',
      '      - name: a',
      '        rules: { budget: 1 }',
      '      - { name: " a" }',
    ].join('\n');
    const { code, err } = await apply(wrong);
    expect(code).toBe(1);
    expect(err.split('\n').map((line) => line.replace(/^gatewayctl: \S+gateway\.yaml/, ''))).toEqual([
      ':6: accounts[0].keys[0].rules.budget: is an unknown field',
      ':7: accounts[0].keys[1].name: must not begin or end with a space',
      ':3: accounts[0].budgets: is an unknown field',
      '',
    ]);
    const twice = 'accounts:\n  - email: ada@example.com\n    keys: [{ name: a }, { name: a }]\n';
    expect((await apply(twice)).err).toMatch(
      /gateway\.yaml:3: accounts\[0\]\.keys\[1\]: a is there twice\n$/,
    );
  });

  it('refuses a file with a forbidden change before it changes anything', async () => {
    const text = FILE.replace('resets: monthly', 'resets: never').replace('streams: 2', 'streams: 3');
    const { code, err } = await apply(text);
    expect({ code, err }).toEqual({
      code: 1,
      err: 'gatewayctl: pool Main of ada@example.com: resets of a pool cannot be changed: give it another name in the file, or remove it\n',
    });
    expect((await applied(FILE)).changes).toEqual([]);
  });

  it('makes no second key after a crash, but replaces the secret that nobody has', async () => {
    const before = await keysOf('ada@example.com');
    const laptop = before.find(({ name, status }) => name === 'laptop' && status === 'active');
    // As after a crash between the creation of the key and the file with its secret.
    const lost = { ...secrets(), 'ada@example.com/laptop': '' };
    writeFileSync(secretsPath(), JSON.stringify(lost));
    chmodSync(secretsPath(), 0o644);
    expect(changesOf(await withSecrets(FILE))).toEqual(['change key laptop of ada@example.com']);
    expect(statSync(secretsPath()).mode & 0o777).toBe(0o600);
    const after = (await keysOf('ada@example.com')).filter(({ name }) => name === 'laptop');
    expect(after.filter(({ status }) => status === 'active')).toHaveLength(1);
    expect(after.find(({ id }) => id === laptop?.id)?.status).toBe('revoked');
    expect(secrets()).toMatchObject({ 'ada@example.com/laptop': expect.stringMatching(/^gw_live_/) });
    expect((await withSecrets(FILE)).changes).toEqual([]);
  });

  it('makes one key of each name, with its secret in the file, if it is killed at any moment and run again', async () => {
    const names = Array.from({ length: 12 }, (_, index) => `key-${index}`);
    const keys = names.map((name) => `{ name: ${name} }`).join(', ');
    const file = control.gatewayctl.file(
      'kill.yaml',
      `accounts: [{ email: kill@example.com, keys: [${keys}] }]`,
    );
    const args = ['apply', '-f', file, '--secrets-file', secretsPath()];
    for (const count of [1, 3, 6, 10]) {
      const child = spawn(process.execPath, [MAIN, ...args], {
        env: { ...PROCESS_ENVIRONMENT, ...control.environment },
      });
      const gone = once(child, 'exit');
      const isEnough = () => names.filter((name) => `kill@example.com/${name}` in secrets()).length >= count;
      await until(() => isEnough() || child.exitCode !== null);
      child.kill('SIGKILL');
      await gone;
    }
    expect((await runWith(control.environment, args)).code).toBe(0);
    const active = (await keysOf('kill@example.com')).filter(({ status }) => status === 'active');
    expect(active.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
    const written = secrets();
    for (const { name, prefix } of active)
      expect(written[`kill@example.com/${name}`]?.slice(0, 16)).toBe(prefix);
  });

  it('continues after a failure in the middle', async () => {
    const text = `accounts:
  - email: cy@example.com
    pools: [{ name: First, usd: "1" }]
    rules: { models: [acme/*], networks: [10.0.0.0/8] }
    keys:
      - { name: one }
      - { name: two, expires_at: 2001-01-01T00:00:00Z }
`;
    const { code, err } = await apply(text, '--secrets-file', secretsPath());
    expect(code).toBe(1);
    expect(err).toMatch(
      /^gatewayctl: 4 of 5 changes were made, then one failed: .*\ngatewayctl: run the same command again/,
    );
    const fixed = text.replace('2001', '2099');
    expect(changesOf(await withSecrets(fixed))).toEqual(['create key two of cy@example.com']);
    expect(await keysOf('cy@example.com')).toHaveLength(2);
    expect(Object.keys(secrets())).toEqual(
      expect.arrayContaining(['cy@example.com/one', 'cy@example.com/two']),
    );
  });

  it('writes the manifest of a Kubernetes Secret, and never over anything else', async () => {
    const text = 'accounts: [{ email: dee@example.com, keys: [{ name: pod }] }]';
    const path = join(control.gatewayctl.folder, 'secret.json');
    writeFileSync(path, 'precious');
    const args = ['--secrets-file', path, '--secrets-kubernetes', 'gateway-keys'];
    expect(await apply(text, ...args)).toMatchObject({
      code: 1,
      err: expect.stringContaining(`${path} does not hold the manifest of a Secret gateway-keys`),
    });
    expect(readFileSync(path, 'utf8')).toBe('precious');
    rmSync(path);
    await applied(text, ...args);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'gateway-keys' },
      type: 'Opaque',
      stringData: { 'dee_example.com_pod': expect.stringMatching(/^gw_live_/) },
    });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    for (const other of [
      ['--secrets-file', path],
      [...args.slice(0, 3), 'others'],
    ])
      expect(await apply(text, ...other)).toMatchObject({ code: 1 });
  });
});
