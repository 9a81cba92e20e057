import { it } from 'vitest';
import { eventsKillDrill } from './events-kill-drill.ts';

it('settled requests and thresholds are reported exactly once while control planes are killed', () =>
  eventsKillDrill({ accounts: 6, requests: 50, kills: 4 }));
