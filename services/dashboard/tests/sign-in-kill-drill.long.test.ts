import { it } from 'vitest';
import { signInKillDrill } from './sign-in-kill-drill.ts';

it('each change of a sign-in has exactly one event, although dashboards are killed', () =>
  signInKillDrill({ kills: 8, changes: 150 }));
