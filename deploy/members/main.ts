// The load balancer's DNS: names lead to the replicas that are ready. Docker's own names whoever runs, also
// one that is still starting or about to end. Unlike with a list in nginx' configuration, nothing has to be
// read again: that would cost clients their kept connections.
import { createSocket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import process from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';
import { answerQueries } from './answer-queries.ts';
import { askStanding } from './ask-standing.ts';
import { chooseMembers, type Standings } from './choose-members.ts';

const PORT = 5353;
const INTERVAL_MS = 300;
/** Names, and the internal port that each service says on whether it is ready. */
const SERVICES = [
  { name: 'data-plane', internalPort: 9080 },
  { name: 'catalog', internalPort: 9081 },
  { name: 'dashboard', internalPort: 9090 },
];

for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => process.exit(0));
// The reader of the log may be gone: a log that cannot be written must not end the process.
process.stdout.on('error', () => undefined);

const standings = new Map<string, Standings>();
const members = new Map<string, readonly string[]>();

const socket = createSocket('udp4');
answerQueries(socket, (name) => members.get(name) ?? []);
await Promise.all(SERVICES.map(look));
socket.bind(PORT);
for (;;) {
  await wait(INTERVAL_MS);
  await Promise.all(SERVICES.map(look));
}

async function look({ name, internalPort }: (typeof SERVICES)[number]): Promise<void> {
  // Not found: none runs.
  const addresses = await lookup(name, { all: true, family: 4 }).catch(() => []);
  const now = new Map(
    await Promise.all(
      addresses.map(async ({ address }) => [address, await askStanding(address, internalPort)] as const),
    ),
  );
  const chosen = chooseMembers(standings.get(name) ?? new Map(), now);
  standings.set(name, now);
  // Nobody answers: those who were there are as good a guess as any.
  if (chosen.length === 0 || String(chosen) === String(members.get(name))) return;
  members.set(name, chosen);
  const line = { time: new Date(), service: 'members', name, members: chosen, standings: [...now] };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
