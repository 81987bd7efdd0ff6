package figures

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
)

// CheckTables is an error where tables in Markdown lack one of the texts, or where lines of a table
// differ in their number of columns. For tests of reports, as what is below.
func CheckTables(print func(io.Writer) error, texts ...string) error {
	var out strings.Builder
	failures := []error{print(&out), lacking(out.String(), texts)}
	columns := 0
	for line := range strings.Lines(out.String()) {
		bars := strings.Count(line, "|")
		if bars > 0 && columns > 0 && bars != columns {
			failures = append(failures, fmt.Errorf("%d bars, %d in the line above: %s", bars, columns,
				line))
		}
		columns = bars // none: the next table may have others
	}
	return errors.Join(failures...)
}

// CheckPicture is an error where a picture lacks one of the texts or has a value that is no number.
func CheckPicture(draw func(io.Writer) error, texts ...string) error {
	var picture strings.Builder
	failures := []error{draw(&picture), lacking(picture.String(), texts)}
	if strings.Contains(picture.String(), "NaN") {
		failures = append(failures, errors.New("a value is no number"))
	}
	return errors.Join(failures...)
}

func lacking(content string, texts []string) error {
	var failures []error
	for _, text := range texts {
		if !strings.Contains(content, text) {
			failures = append(failures, fmt.Errorf("no %q", text))
		}
	}
	if len(failures) > 0 {
		failures = append(failures, fmt.Errorf("in\n%s", content))
	}
	return errors.Join(failures...)
}

// CheckReadBack is an error where a report is not what its JSON is read as.
func CheckReadBack[T any](report T) error {
	content, err := json.Marshal(report)
	if err != nil {
		return err
	}
	var read T
	if err := json.Unmarshal(content, &read); err != nil {
		return err
	}
	if !reflect.DeepEqual(read, report) {
		return fmt.Errorf("read back as %+v, want %+v", read, report)
	}
	return nil
}
