import { Code, Group } from '@mantine/core';

/** Shows tags as `name=value`. */
export function TagList({ tags }: { tags: Readonly<Record<string, string>> }) {
  return (
    <Group gap={6}>
      {Object.entries(tags).map(([name, value]) => (
        <Code key={name} className="break-anywhere">
          {name}={value}
        </Code>
      ))}
    </Group>
  );
}
