import { Anchor, List } from '@mantine/core';
import { useId, useRef } from 'react';
import type { LineProblem } from './catalog-text.ts';
import classes from './yaml-editor.module.css';

interface YamlEditorProps {
  text: string;
  problems: readonly LineProblem[];
  isReadOnly: boolean;
  onChange: (text: string) => void;
}

const LINE_PX = 20;
const PADDING_PX = 24;

/** Edits a text with line numbers, and lists problems with links to their lines. */
export function YamlEditor({ text, problems, isReadOnly, onChange }: YamlEditorProps) {
  const area = useRef<HTMLTextAreaElement>(null);
  const frame = useRef<HTMLDivElement>(null);
  const problemsId = useId();
  const lines = text.split('\n');
  const wrong = new Set(problems.map(({ line }) => line));
  const show = (line: number) => {
    const start = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0);
    area.current?.focus({ preventScroll: true });
    area.current?.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0));
    frame.current?.scrollTo({ top: Math.max(0, (line - 4) * LINE_PX) });
  };
  return (
    <>
      {problems.length > 0 && (
        <List id={problemsId} size="sm" aria-label="Problems of the catalog">
          {problems.map(({ line, message }) => (
            <List.Item key={`${line} ${message}`} className="break-anywhere">
              <Anchor
                component="button"
                type="button"
                size="sm"
                underline="always"
                onClick={() => show(line)}
              >
                Line {line}
              </Anchor>
              : {message}
            </List.Item>
          ))}
        </List>
      )}
      <div className={classes.frame} ref={frame}>
        <div className={classes.numbers} aria-hidden>
          {lines.map((_, index) => (wrong.has(index + 1) ? `▸ ${index + 1}` : index + 1)).join('\n')}
        </div>
        <textarea
          ref={area}
          className={classes.text}
          style={{ height: lines.length * LINE_PX + PADDING_PX }}
          aria-label="Catalog as YAML"
          aria-invalid={problems.length > 0}
          {...(problems.length > 0 && { 'aria-describedby': problemsId })}
          spellCheck={false}
          autoCapitalize="off"
          readOnly={isReadOnly}
          value={text}
          onChange={({ currentTarget: { value } }) => onChange(value)}
        />
      </div>
    </>
  );
}
