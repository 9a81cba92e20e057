import { Command, Option } from 'commander';
import type { Extent } from './plan.ts';
import type { PeerChoice } from './targets/start-peers.ts';

export const PARTS = [
  'closed-loop',
  'whole-gateway',
  'latency',
  'streams',
  'passed-chunks',
  'dialects',
  'bodies',
  'mixed',
  'open-streams',
] as const;
const QUICK_PARTS = PARTS.filter((name) => name !== 'mixed' && name !== 'whole-gateway');
export type PartName = (typeof PARTS)[number];

export interface Options {
  extent: Extent;
  /** The assertions are checked whichever parts are chosen. */
  parts: readonly PartName[];
  peers: PeerChoice;
  growth: boolean;
  profile: boolean;
  /** Arguments for the Node process of the data plane. */
  nodeArgs: readonly string[];
  /** The folder for the results, from the top of the repository. */
  out: string;
}

interface Given {
  quick?: true;
  smoke?: true;
  only?: PartName[];
  peers: PeerChoice;
  growth?: true;
  profile?: true;
  nodeArgs: string;
  out: string;
}

/** @throws CommanderError */
export function parseOptions(args: readonly string[]): Options {
  const given = new Command('npm run bench --')
    .description(
      'Measures the gateway beside a bare proxy, its peers and no gateway at all (bench/README.md).',
    )
    .option('--quick', 'less of everything, within a minute')
    .addOption(new Option('--smoke', 'seconds only: shows that it works').hideHelp())
    .addOption(new Option('--only <part...>', 'only these parts').choices(PARTS))
    .addOption(
      new Option('--peers <which>', 'peers to measure: none, those from npm, or all that can be installed')
        .choices(['none', 'npm', 'all'])
        .default('npm'),
    )
    .option('--growth', 'instead: few and many keys, models and teams, side by side')
    .option('--profile', 'in addition: a CPU profile of the data plane in the closed loop')
    .option('--node-args <args>', 'for the Node of the data plane, such as --max-semi-space-size=32', '')
    .option('--out <folder>', 'where results are written', 'bench-results')
    .exitOverride()
    .allowExcessArguments(false)
    .parse([...args], { from: 'user' })
    .opts<Given>();
  return {
    extent: given.smoke ? 'smoke' : given.quick ? 'quick' : 'full',
    parts: given.only ?? (given.quick ? QUICK_PARTS : PARTS),
    peers: given.peers,
    growth: given.growth === true,
    profile: given.profile === true,
    nodeArgs: given.nodeArgs.split(' ').filter(Boolean),
    out: given.out,
  };
}
