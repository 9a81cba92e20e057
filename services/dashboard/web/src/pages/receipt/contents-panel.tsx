import { Alert, Badge, Button, Code, Group, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { ContentsResponse, ShownBody } from '../../../../wire/contents.ts';
import { useAction } from '../../api/use-action.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Hint } from '../../components/hint.tsx';
import { Moment } from '../../components/moment.tsx';
import { Panel } from '../../components/panel.tsx';
import { formatCount } from '../../format/format-count.ts';
import { layOutJson } from './lay-out-json.ts';
import classes from './receipt.module.css';

interface ContentsPanelProps {
  /** Reads the contents. The audit log shows each call. */
  read: () => Promise<ContentsResponse>;
  /** Shown instead where the account stores no contents. */
  off?: ReactNode;
}

/** Shows the bodies of a request, if the account stores them, when the reader asks for them. */
export function ContentsPanel({ off, read }: ContentsPanelProps) {
  const [contents, setContents] = useState<ContentsResponse | undefined>(undefined);
  const looking = useAction(async () => setContents(await read()));
  return (
    <Panel title="Contents" description="What was sent and received. The audit log shows who looked at it.">
      <ErrorNotice error={looking.error} />
      {off !== undefined ? (
        <Text size="sm">{off}</Text>
      ) : contents === undefined ? (
        <Group>
          <Button variant="default" loading={looking.isPending} onClick={() => looking.run()}>
            Show contents
          </Button>
        </Group>
      ) : (
        <>
          <Hint>
            <Code>{contents.path}</Code>, status {contents.status}, stored until{' '}
            <Moment ms={contents.expiresAtMs} />
          </Hint>
          <Body title="Request" body={contents.request} />
          <Body title="Response" body={contents.response} />
        </>
      )}
    </Panel>
  );
}

function Body({ title, body }: { title: string; body: ShownBody }) {
  const { bytes, contentType, cut, text } = body;
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Group gap="xs">
          <Text fw={500}>{title}</Text>
          <Hint>
            {contentType === '' ? 'nothing was sent' : `${contentType}, ${formatCount(bytes)} bytes`}
          </Hint>
          {cut && <Badge color="yellow">Cut</Badge>}
        </Group>
        {text !== null && <CopyButton value={text} label={`Copy ${title.toLowerCase()}`} />}
      </Group>
      {cut && <Alert color="yellow">The body is longer than what is stored: its first 256 KiB.</Alert>}
      {text === null
        ? contentType !== '' && <Hint>Only type and size of media are stored.</Hint>
        : text !== '' && (
            <Code block mah={480} tabIndex={0} role="region" aria-label={title} className={classes.body}>
              {layOutJson(text)}
            </Code>
          )}
    </Stack>
  );
}
