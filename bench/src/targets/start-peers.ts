import { MODEL } from '../wire/answer-plan.ts';
import { requestBody, SMALL } from '../wire/request-body.ts';
import { startBifrost } from './bifrost.ts';
import { startLiteLlm } from './litellm.ts';
import type { PeerOptions, RunningPeer } from './peer.ts';
import { startPortkey } from './portkey.ts';
import type { Target } from './target.ts';

export type PeerChoice = 'none' | 'npm' | 'all';

const PEERS: Record<
  PeerChoice,
  readonly [name: string, start: (options: PeerOptions) => Promise<RunningPeer>][]
> = {
  none: [],
  npm: [['Portkey', startPortkey]],
  all: [
    ['Portkey', startPortkey],
    ['LiteLLM', startLiteLlm],
    ['Bifrost', startBifrost],
  ],
};
const FIRST_ANSWER_MS = 30_000;

export interface Peers {
  targets: Target[];
  /** `Bifrost: not run: why` */
  missing: string[];
}

/** Starts the available peers, each on the core under test. Only one of them works at a time. */
export async function startPeers(
  choice: PeerChoice,
  options: PeerOptions,
  stack: AsyncDisposableStack,
  say: (line: string) => void,
): Promise<Peers> {
  const targets: Target[] = [];
  const missing: string[] = [];
  for (const [name, start] of PEERS[choice]) {
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
