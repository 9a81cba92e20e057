import { it } from 'vitest';
import { eventsKillDrill } from './events-kill-drill.ts';

it('settled requests and thresholds are reported exactly once while control planes are killed, many times', () =>
  eventsKillDrill({ accounts: 12, requests: 100, kills: 8 }));
