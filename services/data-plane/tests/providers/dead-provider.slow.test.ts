import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/** A network of its own, which no other process sees; containers and other systems may refuse it. */
const OWN_NETWORK = ['unshare', '--map-root-user', '--net', '--'] as const;
const [unshare, ...options] = OWN_NETWORK;
const mayHaveNetwork = spawnSync(unshare, [...options, 'ip', 'link', 'set', 'lo', 'up']).status === 0;

const PROCESS = fileURLToPath(new URL('dead-provider-process.ts', import.meta.url));
/** 15 s where the machine has time; Node's defaults would take 70 s, TCP by itself a quarter of an hour. */
const SECONDS = 45;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'dead-provider-'));
  const args =
    'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -keyout key.pem -out cert.pem ' +
    '-subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1';
  execFileSync('openssl', args.split(' '), { cwd: folder, stdio: 'pipe' });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function runWith(fate: 'gone' | 'silent') {
  const { stdout } = await promisify(execFile)(
    unshare,
    [...options, process.execPath, PROCESS, folder, fate],
    {
      env: { ...process.env, NODE_EXTRA_CA_CERTS: join(folder, 'cert.pem') },
    },
  );
  return JSON.parse(stdout);
}

describe.skipIf(!mayHaveNetwork).concurrent('a provider', () => {
  it('a provider whose machine disappears fails its calls within seconds, and later ones are answered', async () => {
    const said = await runWith('gone');
    for (const call of ['overHttp1', 'overHttp2', 'writtenAfter']) {
      expect(said[call], call).toMatchObject({ failed: 'upstream_error' });
      expect(said[call].afterMs, call).toBeLessThan(SECONDS * 1_000);
    }
    expect(said.again).toEqual([200, 200]);
  });

  it('a provider that is there but silent is waited for', async () => {
    const said = await runWith('silent');
    for (const call of ['overHttp1', 'overHttp2'])
      expect(said[call]).toMatchObject({ failed: 'answered 200' });
  });
});
