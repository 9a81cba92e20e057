import { createPrismaClient } from '@model-gateway/database';
import { createLogger } from '@model-gateway/service-kit';
import { pepperFingerprint } from '@model-gateway/shared';
import { createTestDatabase } from '@model-gateway/test-kit/test-database';
import { expect, it } from 'vitest';
import { DataPlaneWatch } from '../../src/data-planes/data-plane-watch.ts';
import { KeyEventListStore } from '../../src/data-planes/key-event-list-store.ts';
import { KeyFeed, type Watcher } from '../../src/data-planes/key-feed.ts';
import { WatcherStore } from '../../src/data-planes/watcher-store.ts';
import { DatabaseEpoch } from '../../src/database/database-epoch.ts';
import { EpochStore } from '../../src/database/epoch-store.ts';

const PEPPER = 'a pepper that both sides have';

it('a data plane that connects while the control plane stops is sent away without a welcome', async () => {
  await using database = await createTestDatabase();
  const prisma = createPrismaClient(database.url, { maxConnections: 2 });
  const log = createLogger({ service: 'test', level: 'silent' });
  const watcherStore = new WatcherStore(prisma);
  const keyFeed = new KeyFeed(watcherStore, new DatabaseEpoch(new EpochStore(prisma), log), log);
  const sent: string[] = [];
  const wake = () => sent.push('woken');
  const watch = new DataPlaneWatch(
    {
      controlPlaneId: 'cp_1',
      pepper: PEPPER,
      oldPepper: undefined,
      keyEventListStore: new KeyEventListStore(prisma),
      watcherStore,
      keyFeed,
      catalogFeed: { wake },
      recallFeed: { wake },
      credentialFeed: { wake },
      limitQuestions: { answer: () => undefined },
      credentialStore: { answer: async () => undefined },
      processReportStore: { reportDataPlane: async () => false },
      log,
    },
    (instanceId): Watcher => ({
      instanceId,
      sentRevision: 0n,
      pendingPing: undefined,
      isGone: () => false,
      sendWelcome: () => sent.push('welcome'),
      sendChange: () => sent.push('change'),
      sendHeartbeat: () => sent.push('heartbeat'),
      sendRecall: () => sent.push('recall'),
      sendLimitQuestion: () => sent.push('limit question'),
      sendCredentialQuestion: () => sent.push('credential question'),
      sendResponsesUnfollowed: () => sent.push('responses unfollowed'),
      sendDrainOrder: () => sent.push('drain order'),
      end: () => sent.push('end'),
    }),
  );
  const hello = { instanceId: 'dp_1', resumeRevision: '7', pepperFingerprint: pepperFingerprint(PEPPER) };
  const receiving = watch.receive({ hello });
  // Called while the watcher's row is being written.
  await keyFeed.close();
  await receiving;
  expect(sent).toEqual(['end']);
  await prisma.$disconnect();
});
