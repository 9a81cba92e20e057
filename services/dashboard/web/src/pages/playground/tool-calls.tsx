import { Button, Code, Stack, Text, Textarea } from '@mantine/core';
import { IconTool } from '@tabler/icons-react';
import { useState } from 'react';
import type { Question, ToolCall } from './chat-turn.ts';

interface ToolCallsProps {
  calls: readonly ToolCall[];
  /** Sends the results to the model; undefined: the response is not complete, or a later turn follows. */
  onResults: ((results: Question['results']) => void) | undefined;
}

/** Shows which tools the model calls, with fields for their results. */
export function ToolCalls({ calls, onResults }: ToolCallsProps) {
  const [results, setResults] = useState<Record<string, string>>({});
  return (
    <form
      aria-label="Tool calls"
      onSubmit={(event) => {
        event.preventDefault();
        onResults?.(calls.map(({ id }) => ({ callId: id, content: results[id] ?? '' })));
      }}
    >
      <Stack gap="sm">
        {calls.map(({ id, name, args }) => (
          <div key={id}>
            <Text size="sm" fw={600}>
              <IconTool size={14} aria-hidden /> Calls the tool {name}
            </Text>
            <Code block className="break-anywhere" my={4}>
              {prettyJson(args)}
            </Code>
            {onResults !== undefined && (
              <Textarea
                aria-label={`Result of ${name}`}
                placeholder="Its result, as your program would return it"
                size="xs"
                autosize={false}
                rows={2}
                value={results[id] ?? ''}
                onChange={({ currentTarget: { value } }) => setResults({ ...results, [id]: value })}
              />
            )}
          </div>
        ))}
        {onResults !== undefined && (
          <Button type="submit" size="xs" variant="light" style={{ alignSelf: 'flex-start' }}>
            {calls.length === 1 ? 'Send the result' : 'Send the results'}
          </Button>
        )}
      </Stack>
    </form>
  );
}

function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    // Still arriving, or not JSON.
    return text;
  }
}
