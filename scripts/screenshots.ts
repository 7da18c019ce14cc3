/** Makes the pictures in docs/images from the real editor: `npm run screenshots [-- <names>]`. */
import { mkdir, stat } from 'node:fs/promises';

import { operationPictures } from './screenshots/operations.ts';
import { otherPictures } from './screenshots/others.ts';
import { IMAGES, startStudio, type Picture } from './screenshots/studio.ts';
import { textingPictures } from './screenshots/texting.ts';
import { triggerPictures } from './screenshots/trigger.ts';

const PICTURES: Record<string, Picture> = {
	...operationPictures,
	...textingPictures,
	...triggerPictures,
	...otherPictures,
};

async function main(names: string[]): Promise<number> {
	const unknown = names.filter((name) => !(name in PICTURES));
	if (unknown.length > 0) {
		console.error(
			`There is no ${unknown.join(', ')}. Choose from: ${Object.keys(PICTURES).join(', ')}`,
		);
		return 2;
	}
	await mkdir(IMAGES, { recursive: true });
	console.log('Starting the stand-in, n8n and Chromium …');
	const studio = await startStudio();
	try {
		for (const [name, picture] of Object.entries(PICTURES)) {
			if (names.length > 0 && !names.includes(name)) continue;
			const path = await studio.take(name, picture);
			console.log(`${path}  ${Math.round((await stat(path)).size / 1000)} kB`);
		}
	} finally {
		await studio.stop();
	}
	return 0;
}

process.exitCode = await main(process.argv.slice(2));
