const HEADING = /^## (\S+) - (.+)$/m;

/**
 * What CHANGELOG.md says of a version.
 *
 * @throws when it says nothing of it, or that it is not released yet.
 */
export function releaseNotes(changelog: string, version: string): string {
	const sections = changelog.split(/^(?=## )/m);
	const section = sections.find((each) => HEADING.exec(each)?.[1] === version);
	if (!section) throw new Error(`CHANGELOG.md has no section "## ${version} - <date>".`);
	const date = HEADING.exec(section)?.[2] ?? '';
	if (!/^\d{4}-\d{2}-\d{2}$/.test(date)) {
		throw new Error(`CHANGELOG.md says "${date}" of ${version}, not the date of its release.`);
	}
	return `${section.replace(HEADING, '').trim()}\n`;
}
