import { it } from 'vitest';
import { auditKillDrill } from './audit-kill-drill.ts';

it('every change has its audit event and every event its change while control planes and Postgres are killed, many times', () =>
  auditKillDrill({ changes: 1_000, kills: 8 }));
