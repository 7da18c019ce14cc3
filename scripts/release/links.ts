/** A link or picture in Markdown: whether it is a picture, its text, and where it leads. */
const LINK = /(!?)\[((?:[^\][]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g;

const ELSEWHERE = /^(?:[a-z]+:|#)/i;

/**
 * A page of the repository with links that work anywhere: those to other files lead to the files of a version.
 *
 * @param repository `repository.url` of package.json
 * @param ref tag, branch or commit
 */
export function withAbsoluteLinks(page: string, repository: string, ref: string): string {
	const home = repository.replace(/^git\+/, '').replace(/\.git$/, '');
	return page.replace(LINK, (link, picture: string, text: string, target: string) => {
		if (ELSEWHERE.test(target)) return link;
		const inner = picture ? text : withAbsoluteLinks(text, repository, ref);
		return `${picture}[${inner}](${home}/${picture ? 'raw' : 'blob'}/${ref}/${target})`;
	});
}
