import { CloseButton } from '@mantine/core';
import type { Picture } from './chat-turn.ts';
import classes from './playground.module.css';

interface PictureListProps {
  pictures: readonly Picture[];
  /** Left out: the pictures are sent. */
  onRemove?: (picture: Picture) => void;
}

/** Shows attached pictures. */
export function PictureList({ pictures, onRemove }: PictureListProps) {
  if (pictures.length === 0) return null;
  return (
    <ul className={`plain-list ${classes.pictures}`} aria-label="Images">
      {pictures.map((picture) => (
        <li key={picture.url} className={classes.picture}>
          <img src={picture.url} alt={picture.name} />
          {onRemove !== undefined && (
            <CloseButton
              size="sm"
              variant="default"
              className={classes.remove}
              aria-label={`Remove ${picture.name}`}
              onClick={() => onRemove(picture)}
            />
          )}
        </li>
      ))}
    </ul>
  );
}
