import { Group, Text } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import { productLogoUrl, productName } from '../product.ts';
import classes from './shell.module.css';

/** Shows the logo and name, or the name alone if the logo does not load; links to the first page. */
export function Logo() {
  const [isMissing, setMissing] = useState(false);
  return (
    <Link to="/" className={classes.logo}>
      <Group gap={10} wrap="nowrap" component="span">
        {!isMissing && (
          <img src={productLogoUrl()} alt="" width={30} height={30} onError={() => setMissing(true)} />
        )}
        <Text fw={700} size="md" component="span" {...(!isMissing && { className: classes.logoName })}>
          {productName()}
        </Text>
      </Group>
    </Link>
  );
}
