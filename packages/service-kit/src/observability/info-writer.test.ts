import { expect, it } from 'vitest';
import { createLogger, infoWriter, serializeError } from './logger.ts';

/** A logger, and the lines that it has written. */
function logger(level = 'info') {
  const lines: string[] = [];
  const log = createLogger({
    service: 'test',
    level,
    destination: { write: (line) => void lines.push(line) },
  });
  return { log, lines };
}

const parsed = (lines: readonly string[]): object[] =>
  lines.map((line) => {
    const { time, ...rest } = JSON.parse(line);
    expect(line).toMatch(
      /^\{"level":30,"time":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z","service":"test".*\}\n$/s,
    );
    expect(Number.isNaN(Date.parse(time))).toBe(false);
    return rest;
  });

const TEXTS = [
  '',
  'plain',
  'a "quoted" one',
  'back\\slash',
  'two\nlines\r\nand \u2028 more',
  String.fromCharCode(...Array.from({ length: 0x20 }, (_, code) => code)),
  '\u007f\u0080\u00a0ü€😀',
  'half of a pair: \ud800',
  '"}\n{"level":60,"msg":"forged"}',
];

it.each(TEXTS)('writes the line that the logger would write, one line whatever the text: %j', (text) => {
  const { log, lines } = logger();
  const fields = {
    text,
    absent: undefined,
    status: 200,
    duration_ms: 0.25,
    no_number: Number.NaN,
    streamed: true,
    attempts: [{ provider: text, upstream_status: undefined }],
  };
  log.info(fields, text);
  infoWriter(log, text)(fields);
  expect(lines[1]?.trimEnd().split('\n')).toHaveLength(1);
  const [byLogger = {}, byWriter = {}] = parsed(lines);
  expect(byWriter).toEqual(byLogger);
  expect(Object.keys(byWriter)).toEqual(Object.keys(byLogger));
});

it('writes a line without fields', () => {
  const { log, lines } = logger();
  infoWriter(log, 'request')({});
  expect(parsed(lines)).toEqual([{ level: 30, service: 'test', msg: 'request' }]);
});

it('writes errors as the logger does, when they are serialised first', () => {
  const { log, lines } = logger();
  const error = Object.assign(new Error('it "broke"', { cause: new TypeError('why') }), {
    code: 'E1',
    headers: { authorization: 'Bearer secret' },
  });
  log.info({ error }, 'failed');
  infoWriter(log, 'failed')({ error: serializeError(error) });
  const [byLogger, byWriter] = parsed(lines);
  expect(byWriter).toEqual(byLogger);
  expect(lines[1]).not.toContain('secret');
});

it('writes nothing below the level of the logger, and what a derived logger adds', () => {
  const quiet = logger('warn');
  infoWriter(quiet.log, 'request')({ status: 200 });
  expect(quiet.lines).toEqual([]);
  const { log, lines } = logger();
  infoWriter(log.child({ of: 'child' }), 'request')({ status: 200 });
  expect(parsed(lines)).toEqual([{ level: 30, service: 'test', of: 'child', status: 200, msg: 'request' }]);
});
