import { it } from 'vitest';
import { auditKillDrill } from './audit-kill-drill.ts';

/** A busy machine starts killed control planes many times slower than a quiet one. */
const TIMEOUT_MS = 600_000;

it(
  'every change has its audit event and every event its change while control planes and Postgres are killed',
  {
    timeout: TIMEOUT_MS,
  },
  () => auditKillDrill({ changes: 400, kills: 4 }),
);
