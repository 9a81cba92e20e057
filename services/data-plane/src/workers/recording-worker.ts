import { writeFileSync } from 'node:fs';
import { measureRecording } from '../capabilities/transcription/measure/measure-recording.ts';

/** Measures recordings, one at a time, in a process of its own. */

let chunks: Uint8Array[] = [];

process.on('message', (message: Uint8Array | 'end') => {
  if (message !== 'end') return void chunks.push(message);
  const file = Buffer.concat(chunks);
  chunks = [];
  measureRecording(file).then(
    (measured) => process.send?.(measured ?? null),
    () => process.send?.(null),
  );
});

// Nobody limits the time any more.
process.on('disconnect', () => process.exit());

// A signal to stop the service reaches this process, too. It ends when the data plane no longer needs it.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);

try {
  // Where memory is short, the system ends this process rather than the data plane.
  writeFileSync('/proc/self/oom_score_adj', '1000');
} catch {
  // Only Linux has it.
}
