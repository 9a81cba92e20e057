import process from 'node:process';

// Runs a seed or a range: main.ts 17, main.ts 1 200. With --trace, seeds that pass print their traces, too.
const words = process.argv.slice(2);
const isTraced = words.includes('--trace');
const [first = 1, last = first] = words.filter((word) => word !== '--trace').map(Number);
const now = performance.now.bind(performance);
const startedAtMs = now();
const { prepareWorlds } = await import('./world.ts');
const { runSeed } = await import('./run.ts');
await prepareWorlds();
let failed = 0;
for (let seed = first; seed <= last; seed++) {
  const { trace, problems } = await runSeed(seed);
  if (isTraced || first === last || problems.length > 0) process.stdout.write(`${trace.join('\n')}\n`);
  if (problems.length === 0) continue;
  failed += 1;
  process.stdout.write(`Repeat it: npm run simulate -- ${seed}\n`);
}
process.stdout.write(`${last - first + 1} seeds, ${failed} failed, ${Math.round(now() - startedAtMs)} ms\n`);
process.exit(failed === 0 ? 0 : 1);
