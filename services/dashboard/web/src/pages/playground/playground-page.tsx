import { Button, Code, Stack, Text } from '@mantine/core';
import { IconCube, IconMessageCircle } from '@tabler/icons-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useSearchParams } from 'react-router';
import type { PlaygroundChatRequest } from '../../../../wire/playground.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { isConfigured } from '../models/is-configured.ts';
import type { Model } from '../models/matching-models.ts';
import { useModels } from '../models/use-models.ts';
import { ChatActions } from './chat-actions.tsx';
import { chatRequest } from './chat-request.ts';
import { type ChatSettings, readSettings } from './chat-settings.ts';
import type { Question } from './chat-turn.ts';
import { CodeDialog } from './code-dialog.tsx';
import { Composer } from './composer.tsx';
import { Conversation } from './conversation.tsx';
import classes from './playground.module.css';
import { SettingsPanel } from './settings-panel.tsx';
import { UnpaidNotice } from './unpaid-notice.tsx';
import { useChat } from './use-chat.ts';
import { usePictures } from './use-pictures.ts';

/** Lets the user chat with any model of the catalog. */
export function PlaygroundPage({ children }: { children?: ReactNode }) {
  const models = useModels();
  const chatModels = models.data?.data.filter((model) => model.capability === 'chat' && isConfigured(model));
  return (
    <>
      <PageHeader
        title="Playground"
        description="Try a model before you write code. Chats are billed like any other request."
      />
      <Stack gap="md">
        {children}
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
    ...NO_SETTINGS,
    model: query.get('model') ?? '',
  });
  const [text, setText] = useState('');
  const [shownCode, setShownCode] = useState<PlaygroundChatRequest>();
  const pictures = usePictures();
  const field = useRef<HTMLTextAreaElement>(null);
  const end = useRef<HTMLDivElement>(null);
  const chat = useChat();
  const secondChat = useChat();
  const { problems } = readSettings(settings);
  const hasProblem = Object.keys(problems).length > 0;
  // A link may name a model that is gone.
  const model = models.find(({ id }) => id === settings.model) ?? chooseDefaultModel(models);
  const used = { ...settings, model: model?.id ?? '' };
  const second = models.find(({ id }) => id === settings.secondModel);
  const chats = [
    { ...chat, settings: used },
    ...(second === undefined ? [] : [{ ...secondChat, settings: { ...used, model: second.id } }]),
  ];
  const isStreaming = chats.some((each) => each.isStreaming);

  const last = chat.turns.at(-1);
  // biome-ignore lint/correctness/useExhaustiveDependencies: at every piece of the answer
  useEffect(() => {
    if (last === undefined) return;
    // Does not move a reader who has scrolled up.
    const box = end.current?.getBoundingClientRect();
    if (box !== undefined && box.top < window.innerHeight + NEAR_PX)
      end.current?.scrollIntoView({ block: 'end' });
  }, [last?.answer, last?.toolCalls, last?.state]);

  function send(question: Partial<Question>): void {
    for (const each of chats) each.send({ ...NO_QUESTION, ...question }, each.settings);
    setText('');
    pictures.clear();
    field.current?.focus();
  }

  function changeSettings(change: Partial<ChatSettings>): void {
    // Both models then answer the same conversation.
    if (change.secondModel && second === undefined) secondChat.adopt(chat.turns);
    setSettings({ ...settings, ...change });
  }

  /** Shows the code of the next request; if no message is typed, of the last one or of an example. */
  function showCode(): void {
    const isWritten = text.trim() !== '' || pictures.list.length > 0;
    const next = { ...NO_QUESTION, text: text.trim(), pictures: pictures.list };
    setShownCode(
      isWritten || last === undefined
        ? chatRequest(chat.turns, isWritten ? next : { ...NO_QUESTION, text: 'Hello!' }, used)
        : chatRequest(chat.turns.slice(0, -1), last.question, used),
    );
  }
  return (
    <div className={classes.layout}>
      <div className={classes.settings}>
        <SettingsPanel models={models} settings={used} problems={problems} onChange={changeSettings} />
      </div>
      <div className={classes.chat}>
        <UnpaidNotice isPaid={last === undefined && model?.tier === 'paid'} seatId={settings.seatId} />
        <div className={classes.turns} data-idle={last === undefined || undefined}>
          <Stack gap="md">
            <ChatActions
              onShowCode={hasProblem ? undefined : showCode}
              onClear={
                last === undefined || isStreaming
                  ? undefined
                  : () => {
                      for (const each of chats) each.clear();
                      field.current?.focus();
                    }
              }
            />
            {last === undefined ? (
              <Ideas onChoose={(idea) => (hasProblem ? setText(idea) : send({ text: idea }))} />
            ) : (
              <div className={classes.conversations} data-count={chats.length}>
                {chats.map((each, place) => (
                  <Conversation
                    // biome-ignore lint/suspicious/noArrayIndexKey: the first is always the same conversation
                    key={place}
                    label={chats.length === 1 ? 'Conversation' : `Conversation with ${each.settings.model}`}
                    turns={each.turns}
                    onRetry={() => each.retry(each.settings)}
                    onResults={(results) => each.send({ ...NO_QUESTION, results }, each.settings)}
                  />
                ))}
              </div>
            )}
          </Stack>
          <div ref={end} className={classes.end} />
        </div>
        <Composer
          text={text}
          onChange={setText}
          pictures={pictures}
          readsPictures={[model, second ?? model].every((each) => each?.input_modalities.includes('image'))}
          field={field}
          isStreaming={isStreaming}
          isIdle={last === undefined}
          obstacle={hasProblem ? 'Correct the settings first.' : undefined}
          onSend={() => send({ text: text.trim(), pictures: pictures.list })}
          onStop={() => {
            for (const each of chats) each.stop();
          }}
        />
      </div>
      <CodeDialog request={shownCode} onClose={() => setShownCode(undefined)} />
    </div>
  );
}

const NO_QUESTION: Question = { text: '', pictures: [], results: [] };
const NO_SETTINGS: Omit<ChatSettings, 'model'> = {
  secondModel: '',
  api: 'chat_completions',
  system: '',
  temperature: '',
  maxTokens: '',
  tools: '',
  seatId: undefined,
};

/** The page follows the conversation while its end is at most this far below the window. */
const NEAR_PX = 160;

/** Prefers a free model, so that nobody pays by accident. */
function chooseDefaultModel(models: readonly Model[]): Model | undefined {
  const current = models.filter(({ deprecated_at }) => deprecated_at === undefined);
  return current.find(({ tier }) => tier === 'free') ?? current[0] ?? models[0];
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
