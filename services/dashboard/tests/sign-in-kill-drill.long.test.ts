import { it } from 'vitest';
import { signInKillDrill } from './sign-in-kill-drill.ts';

const TIMEOUT_MS = 600_000;

it('each change of a sign-in has exactly one event, although dashboards are killed', {
  timeout: TIMEOUT_MS,
}, async () => {
  await signInKillDrill({ kills: 8, changes: 150 });
});
