import process from 'node:process';

// A seed, or a range: node main.ts 17, node main.ts 1 200
const [first = 1, last = first] = process.argv.slice(2).map(Number);
const now = performance.now.bind(performance);
const startedAtMs = now();
const { prepareWorlds } = await import('./world.ts');
const { runSeed } = await import('./run.ts');
await prepareWorlds();
let failed = 0;
for (let seed = first; seed <= last; seed++) {
  const { trace, problems } = await runSeed(seed);
  if (first === last || problems.length > 0) process.stdout.write(`${trace.join('\n')}\n`);
  if (problems.length === 0) continue;
  failed += 1;
  process.stdout.write(`Replay: node ${process.argv[1]} ${seed}\n`);
}
process.stdout.write(`${last - first + 1} seeds, ${failed} failed, ${Math.round(now() - startedAtMs)} ms\n`);
process.exit(failed === 0 ? 0 : 1);
