import { it } from 'vitest';
import { auditKillDrill } from './audit-kill-drill.ts';

it('every change has its audit event and every event its change while control planes and Postgres are killed', () =>
  auditKillDrill({ changes: 400, kills: 4 }));
