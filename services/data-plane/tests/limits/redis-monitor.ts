import { once } from 'node:events';
import { connect } from 'node:net';
import { until } from '@model-gateway/test-kit';

/** Commands that a Redis gets, one by one, by the clients of one of its databases. */
export interface RedisMonitor extends Disposable {
  /** Names of the commands so far, in capitals; what a script calls is part of that script. */
  commands(): Promise<string[]>;
  clear(): Promise<void>;
}

/**
 * `1700000000.000000 [0 127.0.0.1:50000] "evalsha" "…"`, with `lua` in place of the address inside of
 * scripts.
 */
const LINE = /^\+\d+\.\d+ \[(\d+) ([^\]]+)\] "([^"]*)"/;

export async function monitorRedis(port: number, database: number): Promise<RedisMonitor> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
  });
  socket.write('MONITOR\r\n');
  await until(() => text.includes('+OK'));
  /** Earlier commands come before this one on the monitor. */
  const catchUp = async () => {
    const mark = `mark-${crypto.randomUUID()}`;
    const other = connect(port, '127.0.0.1');
    other.end(`ECHO ${mark}\r\n`);
    await until(() => text.includes(mark));
    other.destroy();
  };
  return {
    async commands() {
      await catchUp();
      const lines = text.split('\r\n').map((line) => LINE.exec(line));
      return lines.flatMap((found) => {
        const [, index, from, command = ''] = found ?? [];
        return index === String(database) && from !== 'lua' ? [command.toUpperCase()] : [];
      });
    },
    async clear() {
      await catchUp();
      text = '';
    },
    [Symbol.dispose]: () => void socket.destroy(),
  };
}
