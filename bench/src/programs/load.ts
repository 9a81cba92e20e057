// The load generator. Needs its own process, so that it shares no event loop with a measured program.
import process from 'node:process';
import { runClosedLoop } from '../load/closed-loop.ts';
import { type LoadJob, loadJob } from '../load/job.ts';
import { runOpenLoop } from '../load/open-loop.ts';
import { runStreams } from '../load/streams.ts';

process.on('message', (message: { id: number; job: unknown }) => {
  run(loadJob.parse(message.job)).then(
    (result) => process.send?.({ id: message.id, result }),
    (error: unknown) => process.send?.({ id: message.id, error: String(error) }),
  );
});
process.once('disconnect', () => process.exit(0));
process.once('SIGTERM', () => process.exit(0));
process.send?.({ port: 0 });

function run(job: LoadJob): Promise<unknown> {
  switch (job.kind) {
    case 'closed':
      return runClosedLoop(job);
    case 'open':
      return runOpenLoop(job);
    case 'streams':
      return runStreams(job);
  }
}
