// What differs between A and B.
import { changed } from "../state/store.ts";

export function ComparePanel() {
  if (!changed.value) {
    return <p>“Pin as A” keeps the present scenario. What you change then is B, beside it.</p>;
  }
  return (
    <>
      <h2>What changed</h2>
      {changed.value.length === 0 ? (
        <p>Nothing: A and B are the same scenario.</p>
      ) : (
        <table class="changes">
          <thead>
            <tr>
              <th scope="col">What</th>
              <th scope="col">Key</th>
              <th scope="col">A</th>
              <th scope="col">B</th>
            </tr>
          </thead>
          <tbody>
            {changed.value.map(({ key, name, from, to }) => (
              <tr key={key}>
                <th scope="row">{name}</th>
                <td>
                  <code>{key}</code>
                </td>
                <td>{from}</td>
                <td>{to}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  );
}
