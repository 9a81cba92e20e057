import { prepareWorlds, World } from './world.ts';
import { advance, monotonicMs } from './virtual-time.ts';
const cpu = () => process.cpuUsage().user/1e3 + process.cpuUsage().system/1e3;
let t = cpu();
const lap = (n: string) => { const u = cpu(); console.log(n, (u - t).toFixed(0), 'cpu ms, virtual', monotonicMs().toFixed(0)); t = u; };
await prepareWorlds();
lap('prepare');
for (const n of [1,2,3,4]) {
const w = await World.create(n, 'acknowledged');
lap('create');
await advance(monotonicMs() + 10_000);
lap('10 s');
await advance(monotonicMs() + 10_000);
lap('10 s');
}
process.exit(0);
