import { Command, InvalidArgumentError, Option } from 'commander';
import type { Extent } from './plan.ts';
import type { PeerChoice } from './targets/start-peers.ts';

const GATEWAY_PARTS = [
  'closed-loop',
  'ladder',
  'whole-gateway',
  'latency',
  'tails',
  'phases',
  'streams',
  'passed-chunks',
  'dialects',
  'open-streams',
  'start',
  'models',
  'scale',
] as const;
export type GatewayPartName = (typeof GATEWAY_PARTS)[number];

/** The parts that need Postgres and control planes only. */
const STORAGE_PARTS = ['settling', 'usage-reads'] as const;
export type StoragePartName = (typeof STORAGE_PARTS)[number];

export const PARTS = [...GATEWAY_PARTS, ...STORAGE_PARTS];
export type PartName = (typeof PARTS)[number];

/** `usage-reads` needs a database that was filled before, `scale` starts eight data planes. */
const ON_REQUEST: readonly PartName[] = ['usage-reads', 'scale'];
const FULL_PARTS = PARTS.filter((name) => !ON_REQUEST.includes(name));
const TOO_LONG: readonly PartName[] = ['ladder', 'tails', 'phases', 'whole-gateway', 'settling'];
const QUICK_PARTS = FULL_PARTS.filter((name) => !TOO_LONG.includes(name));

export interface Options {
  extent: Extent;
  /** The parts to measure. The checks of README.md run with any of the gateway's parts. */
  parts: readonly PartName[];
  peers: PeerChoice;
  /** Arguments for the Node process of the data plane. */
  nodeArgs: readonly string[];
  /** The folder for the results, from the top of the repository. */
  out: string;
  /** The folder of another copy of the repository, to be measured beside this one. */
  against: string | undefined;
  /** Fills a database with this many usage records instead of measuring. */
  fill: number | undefined;
  /** The folder of the database that was filled, from the top of the repository. */
  store: string;
}

interface Given {
  quick?: true;
  smoke?: true;
  only?: PartName[];
  peers: PeerChoice;
  nodeArgs: string;
  out: string;
  against?: string;
  fill?: number;
  store: string;
}

/** @throws CommanderError */
export function parseOptions(args: readonly string[]): Options {
  const given = new Command('npm run bench --')
    .description(
      'Measures the gateway, a bare proxy, other gateways, and no gateway at all (bench/README.md).',
    )
    .option('--quick', 'less of everything, in about a minute')
    .addOption(new Option('--smoke', 'seconds only: shows that it works').hideHelp())
    .addOption(new Option('--only <part...>', 'only these parts').choices(PARTS))
    .addOption(
      new Option('--peers <which>', 'peers to measure: none, those from npm, or all that can be installed')
        .choices(['none', 'npm', 'all'])
        .default('npm'),
    )
    .option('--node-args <args>', 'for the Node of the data plane, such as --max-semi-space-size=32', '')
    .option('--out <folder>', 'where results are written', 'bench-results')
    .option(
      '--against <folder>',
      'another copy of the repository, measured beside this one (closed-loop, settling)',
    )
    .addOption(
      new Option(
        '--fill <millions>',
        'instead: fill a database with so many million usage records, and keep it',
      ).argParser(recordsOf),
    )
    .option('--store <folder>', 'the folder of the filled database', '.bench/filled')
    .exitOverride()
    .allowExcessArguments(false)
    .parse([...args], { from: 'user' })
    .opts<Given>();
  return {
    extent: given.smoke ? 'smoke' : given.quick ? 'quick' : 'full',
    parts: given.only ?? (given.quick ? QUICK_PARTS : FULL_PARTS),
    peers: given.peers,
    nodeArgs: given.nodeArgs.split(' ').filter(Boolean),
    out: given.out,
    against: given.against,
    fill: given.fill,
    store: given.store,
  };
}

export function isGatewayPart(name: PartName): name is GatewayPartName {
  return GATEWAY_PARTS.some((each) => each === name);
}

export function isStoragePart(name: PartName): name is StoragePartName {
  return STORAGE_PARTS.some((each) => each === name);
}

/** @throws InvalidArgumentError */
function recordsOf(millions: string): number {
  const records = Math.round(Number(millions) * 1e6);
  if (records >= 1) return records;
  throw new InvalidArgumentError('expected a number of millions, such as 10 or 0.5');
}
