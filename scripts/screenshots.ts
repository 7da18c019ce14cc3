/** Makes the pictures in docs/images from the real editor: `npm run screenshots [-- <names>]`. */
import { stat } from 'node:fs/promises';

import { actionPictures } from './screenshots/action.ts';
import { editorPictures } from './screenshots/editor.ts';
import { startStudio, type Picture } from './screenshots/studio.ts';
import { triggerPictures } from './screenshots/trigger.ts';

const PICTURES: Record<string, Picture> = {
	...actionPictures,
	...triggerPictures,
	...editorPictures,
};

async function main(names: string[]): Promise<number> {
	const unknown = names.filter((name) => !(name in PICTURES));
	if (unknown.length > 0) {
		console.error(
			`There is no ${unknown.join(', ')}. Choose from: ${Object.keys(PICTURES).join(', ')}`,
		);
		return 2;
	}
	console.log('Starting the stand-in, n8n and Chromium …');
	const studio = await startStudio();
	try {
		for (const name of names.length > 0 ? names : Object.keys(PICTURES)) {
			const path = await studio.take(name, PICTURES[name]);
			console.log(`${path}  ${Math.round((await stat(path)).size / 1000)} kB`);
		}
	} finally {
		await studio.stop();
	}
	return 0;
}

process.exitCode = await main(process.argv.slice(2));
