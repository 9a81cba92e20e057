import { createLogger } from '@model-gateway/service-kit';
import { expect, it } from 'vitest';
import { RevocationLog } from '../../src/keys/revocation-log.ts';
import { RevocationLogStore } from '../../src/keys/revocation-log-store.ts';
import { startControlPlanes } from '../fixtures/control-planes-fixture.ts';

it('a revocation committed by a killed control plane reaches the log, however late the next one starts', async () => {
  await using control = await startControlPlanes();
  const [older, last] = [await control.createKey(), await control.createKey()];
  await control.revokeKey(older.id);
  await control.revokeKey(last.id);
  await control.sql`UPDATE key_events SET created_at = now() - interval '3 hours' WHERE key_id = ${older.id}`;
  await control.sql`UPDATE key_events SET created_at = now() - interval '2 hours' WHERE key_id = ${last.id}`;

  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const log = createLogger({ service: 'test', level: 'info', destination });
  const revocationLog = new RevocationLog(new RevocationLogStore(control.prisma), log);
  revocationLog.wake();
  await revocationLog.close();
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ msg: 'key revoked', key_id: last.id }]);
});
