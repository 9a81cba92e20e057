import { Button, Code, Group, Text } from '@mantine/core';
import { CopyButton } from '../../components/copy-button.tsx';
import { FocusedAlert } from '../../components/focused-alert.tsx';

/** Shows backup codes, the only time that they can be seen. */
export function BackupCodes({ codes, onDone }: { codes: readonly string[]; onDone: () => void }) {
  const text = codes.join('\n');
  return (
    <FocusedAlert color="orange" title="Save your backup codes now">
      <Text size="sm">
        If you lose the phone, each of them replaces a code of the app once. They are not shown again.
      </Text>
      <Code block my="sm" aria-label="Backup codes" role="textbox" aria-readonly tabIndex={0}>
        {text}
      </Code>
      <Group gap="sm">
        <CopyButton value={text} label="Copy codes" variant="filled" size="sm" />
        <Button variant="default" size="sm" onClick={onDone}>
          I have saved them
        </Button>
      </Group>
    </FocusedAlert>
  );
}
