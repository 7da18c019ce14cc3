/** Takes the pictures in docs/images in n8n's editor: `npm run screenshots [-- <names>]`. */
import { PICTURES } from './screenshots/pictures.ts';
import { startStudio, take } from './screenshots/studio.ts';

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
			console.log(await take(studio, name, PICTURES[name]));
		}
	} finally {
		await studio.stop();
	}
	return 0;
}

process.exitCode = await main(process.argv.slice(2));
