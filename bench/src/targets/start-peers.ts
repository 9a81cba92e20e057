import { MODEL } from '../wire/answer-plan.ts';
import { requestBody, SMALL } from '../wire/request-body.ts';
import { startAgentgateway } from './agentgateway.ts';
import { startBifrost } from './bifrost.ts';
import { startLiteLlm } from './litellm.ts';
import { startNginx } from './nginx.ts';
import type { PeerOptions, RunningPeer } from './peer.ts';
import { startPortkey } from './portkey.ts';
import { startSketch } from './sketch.ts';
import type { Target } from './target.ts';

export type PeerChoice = 'none' | 'npm' | 'all';

export type PeerStart = readonly [name: string, start: (options: PeerOptions) => Promise<RunningPeer>];

export const PEERS: Record<PeerChoice, readonly PeerStart[]> = {
  none: [],
  npm: [['Portkey', startPortkey]],
  all: [
    ['Portkey', startPortkey],
    ['LiteLLM', startLiteLlm],
    ['Bifrost', startBifrost],
    ['agentgateway', startAgentgateway],
  ],
};
/** Programs that are no gateways: the minimum cost of a proxy in C, and of a gateway in Node. */
export const ANCHORS: readonly PeerStart[] = [
  ['nginx', startNginx],
  ['sketch', startSketch],
];
const FIRST_ANSWER_MS = 30_000;

export interface Peers {
  targets: Target[];
  /** `Bifrost: not run: why` */
  missing: string[];
}

/** Starts the available programs, each on the core under test. Only one of them works at a time. */
export async function startPeers(
  peers: readonly PeerStart[],
  options: PeerOptions,
  stack: AsyncDisposableStack,
  say: (line: string) => void,
): Promise<Peers> {
  const targets: Target[] = [];
  const missing: string[] = [];
  for (const [name, start] of peers) {
    say(`starting ${name} ...`);
    try {
      const peer = await start(options);
      stack.use(peer.program);
      await peer.program.answers(peer.readyUrl, peer.startMs);
      await assertAnswers(peer.target);
      targets.push(peer.target);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      missing.push(`${name}: not run: ${reason.replaceAll(/\s+/g, ' ')}`);
      say(missing.at(-1) ?? '');
    }
  }
  return { targets, missing };
}

/** Checks a peer's response, so that a wrong configuration is not measured as fast. */
async function assertAnswers({ origin, headers, model = MODEL }: Target): Promise<void> {
  const body = requestBody({ ...SMALL, model });
  const response = await fetch(`${origin}/v1/chat/completions`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body,
    signal: AbortSignal.timeout(FIRST_ANSWER_MS),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`it answers ${response.status}: ${text.slice(0, 300)}`);
  if (!text.includes('the quick brown fox'))
    throw new Error(`it answers something else: ${text.slice(0, 300)}`);
}
