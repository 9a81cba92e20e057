import { Button, Code, Group, Stack, Text } from '@mantine/core';
import { IconCube, IconMessageCircle, IconTrash } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { useSearchParams } from 'react-router';
import { EmptyState } from '../../components/empty-state.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { isConfigured } from '../models/is-configured.ts';
import type { Model } from '../models/matching-models.ts';
import { useModels } from '../models/use-models.ts';
import { type ChatSettings, readSettings } from './chat-settings.ts';
import { Composer } from './composer.tsx';
import { Conversation } from './conversation.tsx';
import classes from './playground.module.css';
import { SettingsPanel } from './settings-panel.tsx';
import { UnpaidNotice } from './unpaid-notice.tsx';
import { useChat } from './use-chat.ts';

/** Lets the user chat with any model of the catalog. */
export function PlaygroundPage() {
  const models = useModels();
  const chatModels = models.data?.data.filter((model) => model.capability === 'chat' && isConfigured(model));
  return (
    <>
      <PageHeader
        title="Playground"
        description="Try a model before you write code. Chats are billed like any other request."
      />
      <Stack gap="md">
        <QueryState query={models} loading="Reading the catalog" />
        {chatModels?.length === 0 && (
          <EmptyState icon={<IconCube size={28} />} title="There is no chat model yet">
            The operator of this gateway adds models with <Code>gatewayctl catalog apply -f FILE</Code>. A
            chat model shows here once its provider has a credential.
          </EmptyState>
        )}
        {chatModels !== undefined && chatModels.length > 0 && <Playground models={chatModels} />}
      </Stack>
    </>
  );
}

const IDEAS = [
  'Explain in three sentences what an API gateway does.',
  'Write a haiku about rate limits.',
  'Which questions should I ask before choosing a model?',
];

function Playground({ models }: { models: readonly Model[] }) {
  const [query] = useSearchParams();
  const [settings, setSettings] = useState<ChatSettings>({
    model: query.get('model') ?? '',
    system: '',
    temperature: '',
    maxTokens: '',
    seatId: undefined,
  });
  const [text, setText] = useState('');
  const field = useRef<HTMLTextAreaElement>(null);
  const end = useRef<HTMLDivElement>(null);
  const chat = useChat();
  const { problems } = readSettings(settings);
  const hasProblem = Object.keys(problems).length > 0;
  // A link may name a model that is gone.
  const model = models.some(({ id }) => id === settings.model) ? settings.model : chooseDefaultModel(models);
  const used = { ...settings, model };

  const last = chat.turns.at(-1);
  // biome-ignore lint/correctness/useExhaustiveDependencies: at every piece of the answer
  useEffect(() => {
    if (last === undefined) return;
    // Does not move a reader who has scrolled up.
    const box = end.current?.getBoundingClientRect();
    if (box !== undefined && box.top < window.innerHeight + NEAR_PX)
      end.current?.scrollIntoView({ block: 'end' });
  }, [last?.answer, last?.state]);

  function send(question: string): void {
    chat.send(question, used);
    setText('');
    field.current?.focus();
  }
  return (
    <div className={classes.layout}>
      <div className={classes.settings}>
        <SettingsPanel
          models={models}
          settings={used}
          problems={problems}
          onChange={(change) => setSettings({ ...settings, ...change })}
        />
      </div>
      <div className={classes.chat}>
        <UnpaidNotice
          isPaid={last === undefined && models.some(({ id, tier }) => id === model && tier === 'paid')}
          seatId={settings.seatId}
        />
        <div className={classes.turns} data-idle={last === undefined || undefined}>
          {last === undefined ? (
            <Ideas onChoose={(idea) => (hasProblem ? setText(idea) : send(idea))} />
          ) : (
            <Stack gap="md">
              <Group justify="flex-end">
                <Button
                  variant="subtle"
                  color="gray"
                  size="xs"
                  leftSection={<IconTrash size={16} aria-hidden />}
                  disabled={chat.isStreaming}
                  onClick={() => {
                    chat.clear();
                    field.current?.focus();
                  }}
                >
                  Start over
                </Button>
              </Group>
              <Conversation turns={chat.turns} onRetry={() => chat.retry(used)} />
            </Stack>
          )}
          <div ref={end} className={classes.end} />
        </div>
        <Composer
          text={text}
          onChange={setText}
          field={field}
          isStreaming={chat.isStreaming}
          isIdle={last === undefined}
          obstacle={hasProblem ? 'Correct the settings first.' : undefined}
          onSend={() => send(text.trim())}
          onStop={chat.stop}
        />
      </div>
    </div>
  );
}

/** The page follows the conversation while its end is at most this far below the window. */
const NEAR_PX = 160;

/** Prefers a free model, so that nobody pays by accident. */
function chooseDefaultModel(models: readonly Model[]): string {
  const current = models.filter(({ deprecated_at }) => deprecated_at === undefined);
  return (current.find(({ tier }) => tier === 'free') ?? current[0] ?? models[0])?.id ?? '';
}

function Ideas({ onChoose }: { onChoose: (idea: string) => void }) {
  return (
    <EmptyState
      icon={<IconMessageCircle size={28} />}
      title="Ask anything"
      action={
        <Stack gap="xs" w="100%" maw={460}>
          {IDEAS.map((idea) => (
            <Button key={idea} variant="default" h="auto" py={8} onClick={() => onChoose(idea)}>
              <Text span size="sm" style={{ whiteSpace: 'normal' }}>
                {idea}
              </Text>
            </Button>
          ))}
        </Stack>
      }
    >
      Write a message, or start with one of these.
    </EmptyState>
  );
}
