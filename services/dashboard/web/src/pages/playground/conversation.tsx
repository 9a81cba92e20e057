import { Badge, Group, Loader, Paper, Stack, Text, VisuallyHidden } from '@mantine/core';
import { ApiError } from '../../api/client.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Hint } from '../../components/hint.tsx';
import { useSession } from '../../session/use-session.ts';
import { useTeams } from '../teams/use-teams.ts';
import { AdviceNotice } from './advice-notice.tsx';
import { adviseOnError } from './advise-on-error.ts';
import { adviseOnMoney } from './advise-on-money.ts';
import { Answer } from './answer.tsx';
import type { ChatTurn, Question } from './chat-turn.ts';
import { PictureList } from './picture-list.tsx';
import classes from './playground.module.css';
import { ToolCalls } from './tool-calls.tsx';
import { TurnFigures } from './turn-figures.tsx';

interface ConversationProps {
  label: string;
  turns: readonly ChatTurn[];
  onRetry: () => void;
  /** Sends the results of the last turn's tool calls. */
  onResults: (results: Question['results']) => void;
}

/** Shows the turns. Screen readers read an answer when it is complete, not token by token. */
export function Conversation({ label, turns, onRetry, onResults }: ConversationProps) {
  const last = turns.at(-1);
  return (
    <section aria-label={label} className={classes.conversation}>
      <Stack gap="lg">
        {turns.map((turn) => (
          <Turn key={turn.id} turn={turn} {...(turn === last ? { onRetry, onResults } : {})} />
        ))}
      </Stack>
      <VisuallyHidden role="status" aria-live="polite">
        {last === undefined ? '' : spoken(last)}
      </VisuallyHidden>
    </section>
  );
}

function spoken({ state, model, answer, toolCalls }: ChatTurn): string {
  switch (state) {
    case 'streaming':
      return `${model} is answering.`;
    case 'done':
      return toolCalls.length === 0
        ? `The answer is finished: ${answer}`
        : `${answer} ${model} calls ${toolCalls.map(({ name }) => name).join(' and ')}.`;
    case 'stopped':
      return `Stopped. The answer so far: ${answer}`;
    case 'failed':
      // The error notice announces itself.
      return '';
  }
}

type TurnProps = { turn: ChatTurn } & Partial<Pick<ConversationProps, 'onRetry' | 'onResults'>>;

function Turn({ turn, onRetry, onResults }: TurnProps) {
  const { question, answer, model, state, finishReason, toolCalls } = turn;
  const isSilent = answer === '' && toolCalls.length === 0;
  return (
    <Stack gap="sm">
      <Paper p="sm" className={classes.question}>
        <UserMessage question={question} />
      </Paper>
      <Paper withBorder p="md" aria-busy={state === 'streaming'}>
        <Stack gap="sm">
          <Group justify="space-between" gap="xs">
            <Text size="xs" fw={600} c="dimmed" className="break-anywhere">
              {model}
            </Text>
            {state === 'stopped' && <Badge color="yellow">Stopped</Badge>}
            {finishReason === 'length' && <Badge color="yellow">Cut at the token limit</Badge>}
          </Group>
          {isSilent && state === 'streaming' && (
            <Group gap="xs">
              <Loader size="xs" aria-hidden />
              <Hint>Waiting for the first token…</Hint>
            </Group>
          )}
          {answer !== '' && <Answer text={answer} />}
          {toolCalls.length > 0 && (
            <ToolCalls calls={toolCalls} onResults={state === 'done' ? onResults : undefined} />
          )}
          {isSilent && state === 'done' && <Hint>The model returned no text.</Hint>}
          {state === 'failed' && <Failure turn={turn} {...(onRetry === undefined ? {} : { onRetry })} />}
          <Group justify="space-between" gap="xs">
            <TurnFigures turn={turn} />
            {answer !== '' && state !== 'streaming' && (
              <CopyButton value={answer} label="Copy" variant="subtle" />
            )}
          </Group>
        </Stack>
      </Paper>
    </Stack>
  );
}

function UserMessage({ question: { text, pictures, results } }: { question: Question }) {
  if (results.length > 0) {
    return (
      <>
        <Hint>{results.length === 1 ? 'Result of the tool' : 'Results of the tools'}</Hint>
        <div className={classes.text}>{results.map(({ content }) => content).join('\n')}</div>
      </>
    );
  }
  return (
    <>
      <VisuallyHidden>You asked:</VisuallyHidden>
      <PictureList pictures={pictures} />
      <div className={classes.text}>{text}</div>
    </>
  );
}

function Failure({ turn, onRetry }: { turn: ChatTurn; onRetry?: () => void }) {
  const { error, seatId } = turn;
  const isUnpaid = error instanceof ApiError && error.status === 402;
  // The pools of the teams decide the advice.
  const teams = useTeams(isUnpaid);
  const sellsCredit = useSession().data?.sellsCredit;
  const advice = adviseOnError(error, adviseOnMoney(teams.data, seatId, sellsCredit));
  return (
    <Stack gap="xs">
      <ErrorNotice error={error} {...(onRetry === undefined ? {} : { onRetry })} />
      {advice !== undefined && <AdviceNotice advice={advice} />}
    </Stack>
  );
}
