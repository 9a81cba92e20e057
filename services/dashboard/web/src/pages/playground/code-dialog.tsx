import { Modal } from '@mantine/core';
import { chatCompletionsBody } from '../../../../wire/chat-completions-body.ts';
import type { PlaygroundChatRequest } from '../../../../wire/playground.ts';
import { CodeTabs } from '../../components/code-tabs.tsx';
import { Hint } from '../../components/hint.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { useSession } from '../../session/use-session.ts';
import { KEY_VARIABLE } from '../first-request/recipes.ts';
import { requestCode } from './request-code.ts';

interface CodeDialogProps {
  /** Undefined: the dialog is closed. */
  request: PlaygroundChatRequest | undefined;
  onClose: () => void;
}

/** Shows code that sends the request to the API. */
export function CodeDialog({ request, onClose }: CodeDialogProps) {
  const baseUrl = useSession().data?.apiBaseUrl;
  return (
    <Modal opened={request !== undefined} onClose={onClose} title="Code of this request" size="xl" centered>
      {request !== undefined && baseUrl !== undefined && (
        <>
          <Hint mb="sm">
            Set <code>{KEY_VARIABLE}</code> to one of{' '}
            <TextLink to="/dashboard/api-keys">your API keys</TextLink>. The key decides who pays.
          </Hint>
          <CodeTabs
            label="Client"
            tabs={requestCode({ baseUrl, body: chatCompletionsBody(request) })}
            maxHeight={440}
          />
        </>
      )}
    </Modal>
  );
}
